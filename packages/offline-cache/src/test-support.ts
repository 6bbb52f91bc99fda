import type { KubeObject } from '@rxlet/kube-api/client';
import { createVirtualClock, recordingLogger, type RecordingLogger } from '@rxlet/component-base/testing';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { type CacheFiles, createCacheFiles } from './cache-files.ts';
import type { KeptCopy } from './kept-copy.ts';

export const DIRECTORY = '/root/offline-cache';

/** Returns bytes that differ from call to call. */
function countingBytes(): (length: number) => Uint8Array {
  let calls = 0;
  return (length) => new Uint8Array(length).fill((calls += 1));
}

/** Creates cache files in memory; those of an earlier bench can be given. */
export function cacheBench(
  memory: MemoryFiles = createMemoryFiles(),
  { nodeName = 'node1', maxBytes = 100_000 }: { readonly nodeName?: string; readonly maxBytes?: number } = {},
): { memory: MemoryFiles; logger: RecordingLogger; cache: CacheFiles; clock: ReturnType<typeof createVirtualClock> } {
  const logger = recordingLogger();
  const ports = { files: memory.nodeFiles, logger, secretBytes: countingBytes() };
  const cache = createCacheFiles(ports, { directory: DIRECTORY, nodeName, maxBytes });
  return { memory, logger, cache, clock: createVirtualClock() };
}

/** Returns the copy of a ConfigMap. */
export function configMapCopy(name: string, text = 'v'): KeptCopy {
  const object = { metadata: { name, namespace: 'default' }, data: { key: text } } as KubeObject;
  return { plural: 'configmaps', namespace: 'default', fieldSelector: `metadata.name=${name}`, objects: [object] };
}
