import { contributionsTo, createModuleContext } from '@rxlet/agent-api/testing';
import { statusRestorers } from '@rxlet/agent-api/statuses';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { testPod } from '@rxlet/pod-model/testing';
import { expect, it } from 'vitest';
import { statusCheckpoint } from './status-checkpoint-module.ts';

it('restores the statuses that the previous agent wrote on disposal', async () => {
  const memory = createMemoryFiles();
  const startModule = async () => {
    const context = createModuleContext({
      clock: createVirtualClock(),
      logger: recordingLogger(),
      files: memory.nodeFiles,
      node: { name: 'node', rootDirectory: '/var/lib/kubelet', podLogsDirectory: '/var/log/pods', ips: [] },
    });
    const parts = statusCheckpoint().setup(context)!;
    const [restorer] = contributionsTo(parts, statusRestorers);
    await restorer!.load();
    return { restorer: restorer!, dispose: () => parts[Symbol.asyncDispose]!() };
  };
  const first = await startModule();
  expect(memory.paths()).toEqual([]);
  first.restorer.record({ pod: testPod(), status: { phase: 'Running' }, version: 1, finished: false });
  await first.dispose();
  expect(memory.paths()).toEqual(['/var/lib/kubelet/pod_statuses']);
  expect(memory.info('/var/lib/kubelet/pod_statuses')).toMatchObject({ mode: 0o600 });
  const second = await startModule();
  expect(second.restorer.restored('uid-web')).toEqual({ phase: 'Running' });
});
