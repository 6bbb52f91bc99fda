import { spawn } from 'node:child_process';
import { errorMessage } from '@rxlet/component-base';
import { searchPath } from './prerequisites.ts';
import { processStartTime, until } from './processes.ts';

/** Options of {@link startPrivateMachine}. */
export interface PrivateMachineOptions {
  /** Directories of this machine that programs there may change without an effect here. */
  readonly directories: readonly string[];
  /** Addresses of its only network interface. Default: the loopback address. */
  readonly addresses?: readonly string[];
}

/**
 * A machine with network and directories of its own, for programs that change paths of the host or listen on fixed ports. It shares processes, users and all
 * other directories with this machine. Disposing of it drops its network and files once its last process has ended.
 */
export interface PrivateMachine extends AsyncDisposable {
  /** Program and arguments that run what follows on the machine. The process of that program is the one that was started. */
  readonly enter: readonly string[];
}

const TIMEOUT_MS = 30_000;
/** Directory for the changes, which nothing else of the machine uses. */
const CHANGES = '/mnt';

/** Starts a {@link PrivateMachine}. Needs root. It ends with this process even if that is killed. */
export async function startPrivateMachine(options: PrivateMachineOptions): Promise<PrivateMachine> {
  const { directories, addresses = [] } = options;
  const script = [
    'set -e',
    `mount -t tmpfs tmpfs ${CHANGES}`,
    ...directories.flatMap((directory, index) => {
      const changes = `${CHANGES}/${String(index)}`;
      const layers = `lowerdir=${directory},upperdir=${changes}/upper,workdir=${changes}/work`;
      // Mounts below would be covered, and yet be in the list of mounts. A mount goes with the one above it.
      const covered = `awk '$5 ~ "^${directory}/" { print $5 }' /proc/self/mountinfo`;
      return [
        `${covered} | xargs -r umount --lazy 2>/dev/null || true`,
        `mkdir -p ${changes}/upper ${changes}/work`,
        `mount -t overlay overlay -o ${layers} ${directory}`,
      ];
    }),
    'ip link set lo up',
    ...addresses.map((address) => `ip address add ${address}/32 dev lo`),
    'echo ready',
    'exec sleep infinity',
  ].join('\n');
  const unshare = ['unshare', '--mount', '--net', '--propagation', 'private', 'sh', '-c', script];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...unshare], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: searchPath() },
  });
  let output = '';
  let errors = '';
  let ended: string | undefined;
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  child.once('error', (error) => (ended = errorMessage(error)));
  child.once('exit', (code, signal) => (ended ??= `exit ${String(signal ?? code)}`));
  await until(
    () => `a machine of its own (${errors})`,
    TIMEOUT_MS,
    () => {
      if (ended !== undefined) throw new Error(`cannot start a machine of its own: ${ended}: ${errors.trim()}`);
      return output.includes('ready');
    },
  );
  const pid = child.pid!;
  return {
    enter: ['nsenter', '--target', String(pid), '--mount', '--net', '--'],
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await until('the end of the machine', TIMEOUT_MS, () => processStartTime(pid) === undefined);
    },
  };
}
