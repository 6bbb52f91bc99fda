import assert from 'node:assert/strict';
import { ContainerState, NamespaceMode, PodSandboxState } from '../../gen/runtime/v1/messages.js';
import { StatusCode } from '../status-code.ts';
import { containerStatus, type ContractCase, failsWith, runSandbox, sandboxMetadata } from './contract-subject.ts';

/** Life of pod sandboxes. */
export const sandboxCases: readonly ContractCase[] = [
  {
    name: 'has a sandbox ready when run, not ready when stopped, and forgets it when removed',
    async check(subject) {
      const { runtime } = subject;
      const { id: podSandboxId, status } = await runSandbox(subject, 'life');
      const running = await status();
      assert.equal(running.state, PodSandboxState.SANDBOX_READY);
      assert.notEqual(running.network?.ip, '');
      assert(running.createdAt > 0n);
      await runtime.stopPodSandbox({ podSandboxId });
      assert.equal((await status()).state, PodSandboxState.SANDBOX_NOTREADY);
      await runtime.removePodSandbox({ podSandboxId });
      await failsWith(StatusCode.NotFound, runtime.podSandboxStatus({ podSandboxId }));
    },
  },
  {
    name: 'stops and removes a sandbox any number of times',
    async check(subject) {
      const { runtime } = subject;
      const { id: podSandboxId } = await runSandbox(subject, 'twice');
      await runtime.stopPodSandbox({ podSandboxId });
      await runtime.stopPodSandbox({ podSandboxId });
      await runtime.removePodSandbox({ podSandboxId });
      await runtime.removePodSandbox({ podSandboxId });
    },
  },
  {
    name: 'returns the metadata, labels and annotations of a sandbox as given',
    async check(subject) {
      const labels = { app: 'web', 'io.kubernetes.pod.name': 'fields' };
      const annotations = { note: 'two\nlines' };
      await using sandbox = await runSandbox(subject, 'fields', { labels, annotations });
      const { items } = await subject.runtime.listPodSandbox({ filter: { id: sandbox.id } });
      for (const found of [await sandbox.status(), items[0]]) {
        assert.deepEqual(
          { ...found?.metadata, $typeName: undefined },
          { ...sandboxMetadata('fields'), $typeName: undefined },
        );
        assert.deepEqual(found?.labels, labels);
        assert.deepEqual(found?.annotations, annotations);
      }
    },
  },
  {
    name: 'rejects a second sandbox with the same name, namespace, UID and attempt, and accepts another attempt',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'reserved');
      await assert.rejects(runSandbox(subject, 'reserved'));
      const metadata = { ...sandboxMetadata('reserved'), attempt: 1 };
      await using other = await runSandbox(subject, 'reserved', { metadata });
      assert.notEqual(other.id, sandbox.id);
    },
  },
  {
    name: 'frees the name of a sandbox with its removal',
    async check(subject) {
      let firstId: string;
      {
        await using first = await runSandbox(subject, 'again');
        firstId = first.id;
      }
      await using second = await runSandbox(subject, 'again');
      assert.notEqual(second.id, firstId);
    },
  },
  {
    name: 'kills the containers of a sandbox that is stopped, and removes them with it',
    async check(subject) {
      const { runtime } = subject;
      const sandbox = await runSandbox(subject, 'with-containers');
      const containerId = await sandbox.start('main', 'sleep 60');
      const createdId = await sandbox.create('created', 'sleep 60');
      await runtime.stopPodSandbox({ podSandboxId: sandbox.id });
      const { state, exitCode } = await containerStatus(subject, containerId);
      assert.equal(state, ContainerState.CONTAINER_EXITED);
      assert.equal(exitCode, 137);
      await runtime.removePodSandbox({ podSandboxId: sandbox.id });
      for (const id of [containerId, createdId]) {
        await failsWith(StatusCode.NotFound, runtime.containerStatus({ containerId: id }));
      }
    },
  },
  {
    name: 'starts no container in a sandbox that was stopped',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'stopped');
      const containerId = await sandbox.create('main', 'sleep 60');
      await subject.runtime.stopPodSandbox({ podSandboxId: sandbox.id });
      await assert.rejects(subject.runtime.startContainer({ containerId }));
    },
  },
  {
    name: 'assigns no address to a sandbox on the host network, and reports its namespaces',
    async check(subject) {
      const namespaceOptions = { network: NamespaceMode.NODE, pid: NamespaceMode.CONTAINER, ipc: NamespaceMode.POD };
      await using sandbox = await runSandbox(subject, 'host-network', {
        linux: { securityContext: { namespaceOptions } },
      });
      const { linux, network } = await sandbox.status();
      assert.equal(network?.ip ?? '', '');
      const { network: mode, pid, ipc } = linux?.namespaces?.options ?? {};
      assert.deepEqual({ network: mode, pid, ipc }, namespaceOptions);
    },
  },
];
