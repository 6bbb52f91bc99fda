import assert from 'node:assert/strict';
import { ContainerState } from '../../gen/runtime/v1/messages.js';
import { StatusCode } from '../status-code.ts';
import { containerIn, type ContractCase, failsWith, runSandbox } from './contract-subject.ts';

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** ExecSync. */
export const execCases: readonly ContractCase[] = [
  {
    name: 'returns the output and the exit code of a command run by ExecSync',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'exec');
      const containerId = await sandbox.start('main', 'sleep 60');
      const cmd = ['sh', '-c', 'echo out; echo err >&2; exit 3'];
      const { stdout, stderr, exitCode } = await subject.runtime.execSync({ containerId, cmd, timeout: 10n });
      assert.deepEqual([decode(stdout), decode(stderr), exitCode], ['out\n', 'err\n', 3]);
    },
  },
  {
    name: 'runs commands by ExecSync with the environment and the working directory of the container',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'exec-env');
      const envs = [{ key: 'COLOUR', value: new TextEncoder().encode('green') }];
      const containerId = await sandbox.start('main', 'sleep 60', { envs, workingDir: '/tmp' });
      const cmd = ['sh', '-c', 'echo $COLOUR; pwd'];
      const { stdout } = await subject.runtime.execSync({ containerId, cmd, timeout: 10n });
      assert.equal(decode(stdout), 'green\n/tmp\n');
    },
  },
  {
    name: 'fails an ExecSync that exceeds its timeout with DeadlineExceeded',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'exec-timeout');
      const containerId = await sandbox.start('main', 'sleep 60');
      const call = failsWith(
        StatusCode.DeadlineExceeded,
        subject.runtime.execSync({ containerId, cmd: ['sleep', '30'], timeout: 1n }),
      );
      await subject.pass(1500);
      await call;
    },
  },
  {
    name: 'fails an ExecSync whose executable is missing, without an exit code',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'exec-missing');
      const containerId = await sandbox.start('main', 'sleep 60');
      await assert.rejects(subject.runtime.execSync({ containerId, cmd: ['no-such-command'], timeout: 10n }));
    },
  },
  {
    name: 'runs no command in a container that does not run',
    async check(subject) {
      const { runtime } = subject;
      await using sandbox = await runSandbox(subject, 'exec-not-running');
      const createdId = await sandbox.create('created', 'sleep 60');
      const exitedId = await sandbox.start('exited', 'exit 0');
      await containerIn(subject, exitedId, ContainerState.CONTAINER_EXITED);
      for (const containerId of [createdId, exitedId]) {
        await assert.rejects(runtime.execSync({ containerId, cmd: ['true'], timeout: 10n }));
        await assert.rejects(runtime.exec({ containerId, cmd: ['true'], stdout: true }));
      }
    },
  },
  {
    name: 'returns the URL of a stream for Exec, Attach and PortForward',
    async check(subject) {
      const { runtime } = subject;
      await using sandbox = await runSandbox(subject, 'streams');
      const containerId = await sandbox.start('main', 'sleep 60');
      const answers = [
        await runtime.exec({ containerId, cmd: ['sh'], stdin: true, stdout: true, stderr: true }),
        await runtime.attach({ containerId, stdout: true, stderr: true }),
        await runtime.portForward({ podSandboxId: sandbox.id, port: [80] }),
      ];
      for (const { url } of answers) assert.match(url, /^https?:\/\/[^/]+\/\w+/);
      await failsWith(StatusCode.InvalidArgument, runtime.exec({ containerId, cmd: ['sh'] }));
    },
  },
];
