import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock, systemRandom, uuid, withDeadline } from '@rxlet/component-base';
import type { PullInFlight, PullProgress, PullProgressReader } from '@rxlet/cri-api/pull-progress';
import { buildImage } from '@rxlet/test-containerd/build-image';
import {
  containerdUnavailable,
  type PrivateContainerd,
  startPrivateContainerd,
} from '@rxlet/test-containerd/private-containerd';
import {
  type PrivateRegistry,
  registryUnavailable,
  startPrivateRegistry,
} from '@rxlet/test-containerd/private-registry';
import { until } from '@rxlet/test-containerd/processes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CriClient, createCriClient } from '../create-cri-client.ts';
import { containerdPullProgress } from './containerd-pull-progress.ts';

const TIMEOUT_MS = 30_000;
const MiB = 1 << 20;

const unavailable = containerdUnavailable() ?? registryUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('containerdPullProgress on containerd', () => {
  let folder: string;
  let containerd: PrivateContainerd;
  let registry: PrivateRegistry;
  let cri: CriClient;
  let reader: PullProgressReader;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-progress-'));
    containerd = await startPrivateContainerd({ directory: join(folder, 'ctd') });
    registry = await startPrivateRegistry({ directory: join(folder, 'registry') });
    cri = createCriClient({ clock: systemClock, random: seededRandom(1) }, { endpoint: containerd.endpoint });
    reader = containerdPullProgress({}, { socketPath: containerd.address }).open();
  });
  afterAll(async () => {
    reader?.[Symbol.dispose]();
    await cri?.[Symbol.asyncDispose]();
    await registry?.[Symbol.asyncDispose]();
    await containerd?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Pushes an image of random content, so that no other image shares it. */
  const push = async (name: string, sizeBytes: number): Promise<string> => {
    const content = uuid(systemRandom).repeat(sizeBytes / 36);
    const archive = buildImage({ references: ['any'], files: [{ type: 'file', path: 'file', content }], defaults: {} });
    return (await registry.push(name, archive)).reference;
  };
  interface Pull extends PullInFlight {
    readonly done: Promise<string>;
  }
  const begin = (image: string): Pull => {
    const startedMs = systemClock.now();
    const done = cri.images.pullImage({ image: { image } }, { timeoutMs: Infinity }).then(({ imageRef }) => imageRef);
    done.catch(() => undefined);
    return { image, startedMs, done };
  };
  const read = (...pulls: readonly PullInFlight[]): Promise<readonly (PullProgress | undefined)[]> =>
    withDeadline(systemClock, 5000, undefined, (signal) => reader.read(pulls, signal));

  it('reports the bytes of a pull from the search for its manifest to its last layer', async () => {
    const image = await push('team/app:1', 2 * MiB);
    const lookUp = registry.hold(/\/manifests\//);
    const pull = begin(image);
    await until('the look-up', TIMEOUT_MS, () => lookUp.waiting().length > 0);
    expect(await read(pull)).toEqual([{ step: 'resolving' }]);

    const blobs = registry.stall(/\/blobs\//, MiB);
    lookUp.release();
    await until('the download', TIMEOUT_MS, () => blobs.waiting().length === 1);
    await until('its bytes', TIMEOUT_MS, async () => (await read(pull))[0]?.currentBytes !== undefined);
    const [half] = await read(pull);
    expect(half).toMatchObject({ step: 'downloading' });
    // A tar archive of the file: 2 MiB and a few blocks; its configuration is complete.
    expect(half!.totalBytes).toBeGreaterThan(2 * MiB);
    expect(half!.totalBytes).toBeLessThan(2 * MiB + 20_000);
    expect(half!.currentBytes).toBeGreaterThan(MiB / 2);
    expect(half!.currentBytes).toBeLessThan(MiB + 1000);

    blobs.release();
    await pull.done;
    expect(await read(pull)).toEqual([
      { step: 'unpacking', currentBytes: half!.totalBytes, totalBytes: half!.totalBytes },
    ]);
  });
});
