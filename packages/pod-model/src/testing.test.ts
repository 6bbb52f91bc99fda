import { describe, expect, it } from 'vitest';
import { containerHash } from './container-hash.ts';
import { testContainer, testContainerStatus, testPod, testRuntimePodStatus } from './testing.ts';

describe('builders for tests', () => {
  it('build a pod with defaults, and keep given fields', () => {
    expect(testPod()).toMatchObject({
      metadata: { name: 'web', namespace: 'default', uid: 'uid-web' },
      spec: { restartPolicy: 'Always', containers: [{ name: 'app' }] },
    });
    const pod = testPod({
      name: 'db',
      containers: [{ name: 'sql' }],
      metadata: { generation: 2 },
      spec: { priority: 1 },
    });
    expect(pod).toMatchObject({
      metadata: { name: 'db', uid: 'uid-db', generation: 2 },
      spec: { priority: 1, containers: [{ name: 'sql' }] },
    });
  });

  it('build the status of a running pod', () => {
    const pod = testPod({ containers: [{ name: 'sql', image: 'sql:1' }] });
    const status = testRuntimePodStatus({ pod });
    expect(status).toMatchObject({
      uid: 'uid-web',
      ips: ['10.88.0.2'],
      sandboxes: [{ id: 'sandbox-0', state: 'ready' }],
      containers: [{ name: 'sql', image: 'sql:1', sandboxId: 'sandbox-0', state: 'running' }],
    });
    expect(status.containers[0]?.hash).toBe(containerHash(testContainer({ name: 'sql', image: 'sql:1' })));
  });

  it('set times that match the state', () => {
    const { createdAtNanos } = testContainerStatus();
    expect(testContainerStatus({ state: 'created' })).toMatchObject({ startedAtNanos: 0n, finishedAtNanos: 0n });
    const exited = testContainerStatus({ state: 'exited', exitCode: 1 });
    expect(exited.startedAtNanos).toBeGreaterThan(createdAtNanos);
    expect(exited.finishedAtNanos).toBeGreaterThan(exited.startedAtNanos);
    expect(exited.reason).toBe('Error');
  });
});
