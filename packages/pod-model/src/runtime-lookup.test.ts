import { describe, expect, it } from 'vitest';
import { activeContainerStatuses, activeSandbox, newestContainerStatus } from './runtime-lookup.ts';
import { testRuntimePodStatus } from './testing.ts';

const status = testRuntimePodStatus({
  sandboxes: [{ attempt: 1 }, { attempt: 0, state: 'notready' }],
  containers: [
    { name: 'app', restartCount: 1, sandboxId: 'sandbox-1' },
    { name: 'app', restartCount: 0, sandboxId: 'sandbox-0', state: 'exited' },
    { name: 'old', sandboxId: 'sandbox-0', state: 'exited' },
  ],
});

describe('lookups in a runtime status', () => {
  it('return the newest instance of a container', () => {
    expect(newestContainerStatus(status, 'app')?.restartCount).toBe(1);
    expect(newestContainerStatus(status, 'old')?.state).toBe('exited');
    expect(newestContainerStatus(status, 'absent')).toBeUndefined();
  });

  it('return the active sandbox and its containers', () => {
    expect(activeSandbox(status)?.id).toBe('sandbox-1');
    expect(activeContainerStatuses(status).map(({ id }) => id.id)).toEqual(['app-1']);
  });

  it('return no active sandbox when the newest one is not ready', () => {
    const down = testRuntimePodStatus({ sandboxes: [{ attempt: 1, state: 'notready' }, { attempt: 0 }] });
    expect(activeSandbox(down)).toBeUndefined();
    expect(activeContainerStatuses(down)).toEqual([]);
  });
});
