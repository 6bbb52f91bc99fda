import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { CgroupsUnavailable } from '../tree/cgroup-file-system.ts';
import { SystemdError, type SystemdSlices } from './slices.ts';

/** Runs `systemctl` with arguments. Rejects with its error output. */
export type RunSystemctl = (args: readonly string[]) => Promise<void>;

/** Exists exactly where systemd is the init system (sd_booted). */
const BOOTED = '/run/systemd/system';
const TIMEOUT_MS = 30_000;
/** Where distributions have `systemctl`; the caller's search path may lead elsewhere. */
const PATH = '/usr/bin:/bin:/usr/sbin:/sbin';
/** Names of slices that the agent makes: nothing that `systemctl` could take as an option or a pattern. */
const SLICE = /^[A-Za-z0-9:_.][A-Za-z0-9:_.-]*\.slice$/;

/** Opens systemd of this machine. @throws CgroupsUnavailable when it does not run */
export async function openHostSlices(): Promise<SystemdSlices> {
  try {
    await access(BOOTED);
  } catch (error) {
    throw new CgroupsUnavailable('the cgroup driver is systemd, which does not run here', { cause: error });
  }
  return systemctlSlices(runSystemctl);
}

/** Creates {@link SystemdSlices} that call `systemctl`. */
export function systemctlSlices(run: RunSystemctl): SystemdSlices {
  const checked = (slice: string): string => {
    if (!SLICE.test(slice)) throw new SystemdError(`invalid name of a slice: ${JSON.stringify(slice)}`);
    return slice;
  };
  return {
    start: async (slice) => run(['start', '--', checked(slice)]),
    setProperties: async (slice, properties) => run(['set-property', '--runtime', '--', checked(slice), ...properties]),
    stop: async (slice) => run(['stop', '--', checked(slice)]),
  };
}

function runSystemctl(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', env: { PATH, LC_ALL: 'C' } } as const;
    const child = execFile('systemctl', ['--no-ask-password', ...args], options, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(new SystemdError(`systemctl ${args.join(' ')}: ${stderr.trim() || error.message}`, { cause: error }));
    });
    child.stdin?.end();
  });
}
