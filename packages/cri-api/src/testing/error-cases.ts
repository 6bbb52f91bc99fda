import assert from 'node:assert/strict';
import { callErrorCode, StatusCode } from '../status-code.ts';
import { type ContractCase, failsWith, runSandbox } from './contract-subject.ts';

const MISSING = 'no-such-id';

/** Errors on which callers base decisions. */
export const errorCases: readonly ContractCase[] = [
  {
    name: 'reports NotFound for a container or sandbox that does not exist',
    async check({ runtime, image }) {
      const config = { metadata: { name: 'main', attempt: 0 }, image: { image } };
      const calls = {
        podSandboxStatus: () => runtime.podSandboxStatus({ podSandboxId: MISSING }),
        containerStatus: () => runtime.containerStatus({ containerId: MISSING }),
        createContainer: () => runtime.createContainer({ podSandboxId: MISSING, config, sandboxConfig: {} }),
        startContainer: () => runtime.startContainer({ containerId: MISSING }),
        execSync: () => runtime.execSync({ containerId: MISSING, cmd: ['true'] }),
        exec: () => runtime.exec({ containerId: MISSING, cmd: ['true'], stdout: true }),
        attach: () => runtime.attach({ containerId: MISSING, stdout: true }),
        portForward: () => runtime.portForward({ podSandboxId: MISSING, port: [80] }),
        reopenContainerLog: () => runtime.reopenContainerLog({ containerId: MISSING }),
        updateContainerResources: () => runtime.updateContainerResources({ containerId: MISSING, linux: {} }),
        containerStats: () => runtime.containerStats({ containerId: MISSING }),
        podSandboxStats: () => runtime.podSandboxStats({ podSandboxId: MISSING }),
      };
      const wrong: string[] = [];
      for (const [name, call] of Object.entries(calls)) {
        await failsWith(StatusCode.NotFound, call()).catch((error: unknown) => wrong.push(`${name}: ${String(error)}`));
      }
      assert.deepEqual(wrong, []);
    },
  },
  {
    name: 'removes nothing, without an error, for ids that do not exist; a stop may report NotFound',
    async check({ runtime }) {
      await runtime.removeContainer({ containerId: MISSING });
      await runtime.removePodSandbox({ podSandboxId: MISSING });
      // containerd 1.6 reports NotFound, later versions succeed.
      const stops = [
        () => runtime.stopContainer({ containerId: MISSING, timeout: 0n }),
        () => runtime.stopPodSandbox({ podSandboxId: MISSING }),
      ];
      for (const stop of stops) {
        const code = await stop().then(() => undefined, callErrorCode);
        assert(code === undefined || code === StatusCode.NotFound, String(code));
      }
    },
  },
  {
    name: 'creates no container of an image that is absent',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'no-image');
      const absent = { image: { image: 'localhost:1/nothing:1' } };
      await failsWith(StatusCode.NotFound, sandbox.create('main', 'true', absent));
    },
  },
  {
    name: 'rejects a sandbox and a container without metadata',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'no-metadata');
      await assert.rejects(subject.runtime.runPodSandbox({ config: {} }));
      await assert.rejects(sandbox.create('main', 'true', { metadata: undefined }));
    },
  },
  {
    name: 'rejects a sandbox with a runtime handler that is not configured',
    async check({ runtime }) {
      const metadata = { name: 'handler', namespace: 'contract', uid: 'uid-handler', attempt: 0 };
      await assert.rejects(runtime.runPodSandbox({ config: { metadata }, runtimeHandler: 'no-such-handler' }));
    },
  },
];
