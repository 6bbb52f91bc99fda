import assert from 'node:assert/strict';
import { ContainerState } from '../../gen/runtime/v1/messages.js';
import { StatusCode } from '../status-code.ts';
import { containerIn, containerStatus, type ContractCase, failsWith, runSandbox } from './contract-subject.ts';

const { CONTAINER_CREATED, CONTAINER_EXITED, CONTAINER_RUNNING } = ContainerState;

/** Life of containers. */
export const containerCases: readonly ContractCase[] = [
  {
    name: 'creates a container, runs it, and reports how it exited',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'container-life');
      const containerId = await sandbox.create('main', 'sleep 1; exit 7');
      const created = await containerStatus(subject, containerId);
      assert.equal(created.state, CONTAINER_CREATED);
      assert(created.createdAt > 0n);
      assert.deepEqual([created.startedAt, created.finishedAt, created.exitCode], [0n, 0n, 0]);
      await subject.runtime.startContainer({ containerId });
      const running = await containerStatus(subject, containerId);
      assert.equal(running.state, CONTAINER_RUNNING);
      assert(running.startedAt >= running.createdAt);
      assert.equal(running.finishedAt, 0n);
      const exited = await containerIn(subject, containerId, CONTAINER_EXITED);
      assert.deepEqual([exited.exitCode, exited.reason], [7, 'Error']);
      assert(exited.finishedAt >= exited.startedAt);
      assert.deepEqual([exited.createdAt, exited.startedAt], [created.createdAt, running.startedAt]);
    },
  },
  {
    name: 'reports the reason Completed for a container that exited with 0',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'completed');
      const exited = await containerIn(subject, await sandbox.start('main', 'exit 0'), CONTAINER_EXITED);
      assert.deepEqual([exited.exitCode, exited.reason], [0, 'Completed']);
    },
  },
  {
    name: 'forgets a container that was removed, any number of times',
    async check(subject) {
      const { runtime } = subject;
      await using sandbox = await runSandbox(subject, 'removed');
      const containerId = await sandbox.create('main', 'sleep 60');
      await runtime.removeContainer({ containerId });
      await runtime.removeContainer({ containerId });
      await failsWith(StatusCode.NotFound, runtime.containerStatus({ containerId }));
    },
  },
  {
    name: 'removes a running container',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'removed-running');
      const containerId = await sandbox.start('main', 'sleep 60');
      await subject.runtime.removeContainer({ containerId });
      await failsWith(StatusCode.NotFound, subject.runtime.containerStatus({ containerId }));
    },
  },
  {
    name: 'stops a container by its stop signal',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'graceful');
      const containerId = await sandbox.start('main', "trap 'exit 9' TERM; while true; do sleep 0.1; done");
      await subject.pass(500);
      await passing(subject, subject.runtime.stopContainer({ containerId, timeout: 10n }));
      const { state, exitCode } = await containerStatus(subject, containerId);
      assert.deepEqual([state, exitCode], [CONTAINER_EXITED, 9]);
    },
  },
  {
    name: 'kills a container that does not stop within the timeout, or at once without one',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'killed');
      for (const timeout of [1n, 0n]) {
        const script = "trap '' TERM; while true; do sleep 0.1; done";
        const containerId = await sandbox.start(`main-${String(timeout)}`, script);
        await subject.pass(500);
        await passing(subject, subject.runtime.stopContainer({ containerId, timeout }));
        const { state, exitCode } = await containerStatus(subject, containerId);
        assert.deepEqual([state, exitCode], [CONTAINER_EXITED, 137]);
      }
    },
  },
  {
    name: 'stops a container any number of times, also one that was never started',
    async check(subject) {
      const { runtime } = subject;
      await using sandbox = await runSandbox(subject, 'stopped-twice');
      const containerId = await sandbox.start('main', 'exit 3');
      await containerIn(subject, containerId, CONTAINER_EXITED);
      await runtime.stopContainer({ containerId, timeout: 1n });
      await runtime.stopContainer({ containerId, timeout: 1n });
      assert.equal((await containerStatus(subject, containerId)).exitCode, 3);
      const createdId = await sandbox.create('created', 'sleep 60');
      await runtime.stopContainer({ containerId: createdId, timeout: 1n });
      assert.equal((await containerStatus(subject, createdId)).state, CONTAINER_CREATED);
    },
  },
  {
    name: 'starts a container once',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'started-twice');
      const containerId = await sandbox.start('main', 'exit 0');
      await containerIn(subject, containerId, CONTAINER_EXITED);
      await assert.rejects(subject.runtime.startContainer({ containerId }));
    },
  },
  {
    name: 'rejects a second container of a sandbox with the same name and attempt, and accepts another attempt',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'container-reserved');
      const firstId = await sandbox.create('main', 'sleep 60');
      await assert.rejects(sandbox.create('main', 'sleep 60'));
      await sandbox.create('main', 'sleep 60', { metadata: { name: 'main', attempt: 1 } });
      await subject.runtime.removeContainer({ containerId: firstId });
      await sandbox.create('main', 'sleep 60');
    },
  },
  {
    name: 'returns the metadata, labels, annotations, log path and image of a container as given',
    async check(subject) {
      const { runtime, image } = subject;
      await using sandbox = await runSandbox(subject, 'container-fields');
      const labels = { tier: 'front' };
      const annotations = { 'io.kubernetes.container.hash': 'abc' };
      const containerId = await sandbox.create('main', 'sleep 60', { labels, annotations });
      const status = await containerStatus(subject, containerId);
      const { containers } = await runtime.listContainers({ filter: { id: containerId } });
      for (const found of [status, containers[0]]) {
        assert.deepEqual([found?.metadata?.name, found?.metadata?.attempt], ['main', 0]);
        assert.deepEqual(found?.labels, labels);
        assert.deepEqual(found?.annotations, annotations);
        assert.equal(found?.image?.image, image);
      }
      assert.equal(containers[0]?.podSandboxId, sandbox.id);
      assert.equal(status.logPath, `${sandbox.logDirectory}/main.log`);
      const { image: present } = await subject.images.imageStatus({ image: { image } });
      assert([present?.id, ...(present?.repoDigests ?? [])].includes(status.imageRef), status.imageRef);
    },
  },
];

/** Advances time until the call has settled. */
async function passing<T>({ pass }: { pass(ms: number): Promise<void> }, call: Promise<T>): Promise<T> {
  let settled = false;
  const outcome = call.then(
    () => void (settled = true),
    () => void (settled = true),
  );
  for (let waitedMs = 0; !settled && waitedMs < 20_000; waitedMs += 50) await pass(50);
  if (settled) await outcome;
  return call;
}
