import { describe, expect, it } from 'vitest';
import type { FileSystemLayout } from './node-summary.ts';
import { applyLayout } from './file-system-layout.ts';
import { parseThresholds } from './parse-thresholds.ts';

const configuration = {
  evictionHard: { 'nodefs.available': '10%', 'imagefs.available': '15%', 'imagefs.inodesFree': '5%' },
  evictionSoft: { 'nodefs.available': '20%' },
  evictionSoftGracePeriod: { 'nodefs.available': '1m', 'containerfs.available': '1m' },
};
const added = (layout: FileSystemLayout, hard: Readonly<Record<string, string>> = {}): string[] => {
  const evictionHard = { ...configuration.evictionHard, ...hard };
  return applyLayout(parseThresholds({ ...configuration, evictionHard }), layout)
    .all.filter(({ signal }) => signal.startsWith('containerfs.'))
    .map(({ signal, value, gracePeriodMs }) => `${signal} ${value.share!.toFixed(2)} ${String(gracePeriodMs)}`);
};

describe('applyLayout', () => {
  it.each<[FileSystemLayout, string[]]>([
    ['shared', ['containerfs.available 0.10 0', 'containerfs.available 0.20 60000']],
    ['split', ['containerfs.available 0.10 0', 'containerfs.available 0.20 60000']],
    ['dedicated', ['containerfs.available 0.15 0', 'containerfs.inodesFree 0.05 0']],
  ])('takes the thresholds of writable layers from the file system that holds them: %s', (layout, thresholds) => {
    expect(added(layout)).toEqual(thresholds);
  });

  it('leaves the thresholds of a file system of writable layers alone', () => {
    expect(added('separateContainers')).toEqual([]);
    expect(added('separateContainers', { 'containerfs.available': '50%' })).toEqual(['containerfs.available 0.50 0']);
  });

  it('replaces what is configured for writable layers', () => {
    expect(added('shared', { 'containerfs.available': '50%' })[0]).toBe('containerfs.available 0.10 0');
    expect(added('shared', { 'containerfs.inodesFree': '50%' })).toHaveLength(2);
  });
});
