import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@rxlet/test-containerd/eventually';
import { startServer } from '@rxlet/test-containerd/server-process';

const run = promisify(execFile);

/** A logind of python3-dbusmock on a system bus of its own. It never shuts anything down. */
export interface PrivateLogind extends AsyncDisposable {
  /** Address of the bus, for the variable `DBUS_SYSTEM_BUS_ADDRESS`. */
  readonly busAddress: string;
  /** Announces that a shutdown begins, or was cancelled. */
  prepareForShutdown(begins: boolean): Promise<void>;
  /** Lists the locks as logind does: what, who, why, mode. */
  inhibitors(): Promise<string>;
}

const FILES = ['/usr/bin/dbus-daemon', '/usr/bin/systemd-inhibit', '/usr/bin/busctl'];
const TEMPLATE = '/usr/lib/python3/dist-packages/dbusmock/templates/logind.py';
const MANAGER = 'org.freedesktop.login1.Manager';
const MOCK = 'org.freedesktop.DBus.Mock';

/** Returns one line why there can be none here (for a skipped test); `undefined` if there can. */
export function privateLogindUnavailable(): string | undefined {
  const missing = [...FILES, TEMPLATE].filter((path) => !existsSync(path));
  if (missing.length === 0) return undefined;
  return `not found: ${missing.join(', ')} (Debian: apt-get install dbus systemd python3-dbusmock)`;
}

/** Starts a {@link PrivateLogind} that delays shutdowns by at most `delaySeconds`. */
export async function startPrivateLogind(folder: string, delaySeconds: number): Promise<PrivateLogind> {
  const busAddress = `unix:path=${join(folder, 'bus')}`;
  const bus = startServer(
    '/usr/bin/dbus-daemon',
    ['--session', '--nofork', '--nopidfile', `--address=${busAddress}`],
    join(folder, 'bus.log'),
  );
  await eventually('the bus runs', async () => existsSync(join(folder, 'bus')), bus.log);
  const mock = startServer(
    '/usr/bin/env',
    [`DBUS_SYSTEM_BUS_ADDRESS=${busAddress}`, '/usr/bin/python3', '-m', 'dbusmock', '--system', '--template', 'logind'],
    join(folder, 'logind.log'),
  );
  const call = async (target: string, method: string, ...args: string[]): Promise<string> => {
    const place = ['org.freedesktop.login1', '/org/freedesktop/login1', target, method];
    return (await run('/usr/bin/busctl', [`--address=${busAddress}`, 'call', ...place, ...args])).stdout;
  };
  const setProperty = async (name: string, type: string, value: string): Promise<void> => {
    await call(MOCK, 'UpdateProperties', 'sa{sv}', MANAGER, '1', name, type, value);
  };
  const add = async (): Promise<boolean> => {
    const delayUs = String(delaySeconds * 1_000_000);
    await call(MOCK, 'AddProperty', 'ssv', MANAGER, 'InhibitDelayMaxUSec', 't', delayUs);
    return true;
  };
  await eventually('logind answers', () => add().catch(() => false), mock.log);
  return {
    busAddress,
    async prepareForShutdown(begins) {
      await setProperty('PreparingForShutdown', 'b', String(begins));
      await call(MOCK, 'EmitSignal', 'sssav', MANAGER, 'PrepareForShutdown', 'b', '1', 'b', String(begins));
    },
    inhibitors: () => call(MANAGER, 'ListInhibitors'),
    async [Symbol.asyncDispose]() {
      await mock.end('SIGTERM');
      await bus.end('SIGTERM');
    },
  };
}
