import { noopLogger } from '@rxlet/component-base';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { expect, it } from 'vitest';
import { createCheckpointStore } from './checkpoint-store.ts';

const ID = 'a'.repeat(64);
const checkpoint = {
  id: ID,
  name: { name: 'web', namespace: 'default', uid: 'u', attempt: 0 },
  isHostNetwork: false,
  hostPorts: [{ protocol: 'tcp' as const, containerPort: 80, hostPort: 8080, hostIp: '' }],
  createdAt: '1700000000000000000',
};

it('stores checkpoints', async () => {
  const files = createMemoryFiles();
  const store = createCheckpointStore(files.nodeFiles, '/state', noopLogger);
  await store.prepare();
  expect(await store.list()).toEqual([]);
  await store.write(checkpoint);
  expect(await store.read(ID)).toEqual(checkpoint);
  expect(files.info(`/state/sandbox/${ID}`)?.mode).toBe(0o600);
  expect(await store.list()).toEqual([checkpoint]);
  await store.remove(ID);
  await store.remove(ID);
  expect(await store.read(ID)).toBeUndefined();
});

it.each([
  ['cut short', (text: string) => text.slice(0, -10)],
  ['changed', (text: string) => text.replace('web', 'wub')],
  ['empty', () => ''],
])('sets a checkpoint aside that is %s', async (_case, damage) => {
  const files = createMemoryFiles();
  const warnings: unknown[] = [];
  const logger = { ...noopLogger, warn: (message: string) => void warnings.push(message) };
  const store = createCheckpointStore(files.nodeFiles, '/state', logger);
  await store.write(checkpoint);
  files.put(`/state/sandbox/${ID}`, damage(files.text(`/state/sandbox/${ID}`)!));
  expect(await store.list()).toEqual([]);
  expect(files.paths()).toEqual([`/state/sandbox/${ID}.damaged`]);
  expect(warnings).toEqual(['cannot read a checkpoint; it is set aside']);
  await store.remove(ID);
  expect(files.paths()).toEqual([]);
});

it('rejects ids that are no names of files', async () => {
  const store = createCheckpointStore(createMemoryFiles().nodeFiles, '/state', noopLogger);
  expect(await store.read('../../etc/passwd')).toBeUndefined();
});
