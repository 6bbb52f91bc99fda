import { describe, expect, it } from 'vitest';
import { createLayerProgress, type PullMessage } from './layer-progress.ts';

const layer = (id: string, status: string, current?: number, total?: number): PullMessage => ({
  id,
  status,
  progressDetail: current === undefined ? {} : { current, total },
});
const progressAfter = (...messages: readonly PullMessage[]) => {
  const layers = createLayerProgress();
  for (const message of messages) layers.add(message);
  return layers.progress();
};

describe('createLayerProgress', () => {
  it('resolves until Docker reports a layer', () => {
    expect(progressAfter({ status: 'Pulling from library/busybox', id: 'latest' })).toEqual({ step: 'resolving' });
  });

  it('knows no total while a layer waits', () => {
    const messages = [layer('a', 'Pulling fs layer'), layer('b', 'Waiting'), layer('a', 'Downloading', 10, 100)];
    expect(progressAfter(...messages)).toEqual({ step: 'downloading', currentBytes: 10 });
    expect(progressAfter(...messages, layer('b', 'Downloading', 5, 50))).toEqual({
      step: 'downloading',
      currentBytes: 15,
      totalBytes: 150,
    });
  });

  it('counts a downloaded layer in full while it is extracted', () => {
    const messages = [
      layer('a', 'Downloading', 90, 100),
      layer('a', 'Verifying Checksum'),
      layer('a', 'Download complete'),
      layer('b', 'Downloading', 1, 10),
      layer('a', 'Extracting', 20, 100),
    ];
    expect(progressAfter(...messages)).toEqual({ step: 'downloading', currentBytes: 101, totalBytes: 110 });
    expect(progressAfter(...messages, layer('b', 'Download complete'), layer('a', 'Pull complete'))).toEqual({
      step: 'unpacking',
      currentBytes: 110,
      totalBytes: 110,
    });
  });

  it('leaves out layers that were present, whose sizes Docker does not report', () => {
    const messages = [layer('a', 'Already exists'), layer('b', 'Downloading', 1, 10)];
    expect(progressAfter(...messages)).toEqual({ step: 'downloading', currentBytes: 1, totalBytes: 10 });
    expect(progressAfter(layer('a', 'Already exists'))).toEqual({ step: 'unpacking', currentBytes: 0 });
  });

  it('begins again when Docker retries a layer', () => {
    expect(progressAfter(layer('a', 'Downloading', 90, 100), layer('a', 'Downloading', 5, 100))).toMatchObject({
      currentBytes: 5,
    });
  });

  it.each<PullMessage>([
    { id: 'a', status: 'Downloading', progressDetail: { current: -1, total: 'x' } },
    { id: 'a', status: 'Downloading', progressDetail: 7 },
    { id: 'a', status: 'Downloading', progressDetail: null },
  ])('ignores malformed figures in %j', (message) => {
    expect(progressAfter(message)).toEqual({ step: 'downloading', currentBytes: 0 });
  });

  it('keeps a limited number of layers', () => {
    const messages = Array.from({ length: 1001 }, (_, index) => layer(String(index), 'Downloading', 1, 1));
    expect(progressAfter(...messages)).toMatchObject({ totalBytes: 1000 });
  });
});
