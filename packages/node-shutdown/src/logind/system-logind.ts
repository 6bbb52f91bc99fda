import type { Clock } from '@rxlet/component-base';
import { createNodeFiles } from '@rxlet/node-files';
import { connectDbus, type DbusCall } from '../dbus/dbus-connection.ts';
import { holdInhibitorLock } from './inhibitor-lock.ts';
import type { Logind } from './logind.ts';

/** Options of {@link createSystemLogind}. */
export interface SystemLogindOptions {
  readonly clock: Clock;
  /** Address of the bus. Default: `DBUS_SYSTEM_BUS_ADDRESS`, otherwise that of the system. */
  readonly busAddress?: string | undefined;
  /** Directory of systemd's configuration. Default `/etc/systemd`. */
  readonly configurationDirectory?: string | undefined;
}

const SYSTEM_BUS = 'unix:path=/run/dbus/system_bus_socket';
const MANAGER = 'org.freedesktop.login1.Manager';
const LOGIND = { destination: 'org.freedesktop.login1', path: '/org/freedesktop/login1' };
const PROPERTIES = { ...LOGIND, interface: 'org.freedesktop.DBus.Properties', member: 'Get', signature: 'ss' };
const SIGHUP = 1;
const RULE = `type='signal',interface='${MANAGER}',member='PrepareForShutdown',path='${LOGIND.path}'`;

/**
 * Creates the {@link Logind} of this machine. Calls and signals go over the bus. The lock is held by `systemd-inhibit`, because a lock is an open file and Node
 * cannot receive one over a socket.
 */
export function createSystemLogind({
  clock,
  busAddress = process.env['DBUS_SYSTEM_BUS_ADDRESS'] || SYSTEM_BUS,
  configurationDirectory = '/etc/systemd',
}: SystemLogindOptions): Logind {
  return {
    async connect(observer, connectSignal) {
      const bus = await connectDbus(
        busAddress,
        {
          clock,
          rules: [RULE],
          observer: {
            lost: (error) => observer.lost(error),
            signal({ interface: name, member, body }) {
              if (name === MANAGER && member === 'PrepareForShutdown' && typeof body[0] === 'boolean')
                observer.prepareForShutdown(body[0]);
            },
          },
        },
        connectSignal,
      );
      const property = async (name: string, signal: AbortSignal) => {
        const [value] = await bus.call({ ...PROPERTIES, body: [MANAGER, name] }, signal);
        return value;
      };
      return {
        async inhibitDelayMs(signal) {
          const delay = await property('InhibitDelayMaxUSec', signal);
          if (typeof delay !== 'bigint') throw new Error('InhibitDelayMaxUSec from logind is not a uint64 as expected');
          return Number(delay / 1000n);
        },
        async overrideInhibitDelay(seconds, signal) {
          const directory = `${configurationDirectory}/logind.conf.d`;
          const files = createNodeFiles({ roots: [configurationDirectory] });
          await files.makeDirectory(directory, 0o755);
          const content = `# Written by the node agent: time for the pods to end in a shutdown\n[Login]\nInhibitDelayMaxSec=${String(seconds)}\n`;
          await files.replaceFile(`${directory}/99-kubelet.conf`, content, 0o644);
          await bus.call(reloadCall, signal);
        },
        isPreparingForShutdown: async (signal) => (await property('PreparingForShutdown', signal)) === true,
        inhibitShutdown: (signal) =>
          holdInhibitorLock({ clock, busAddress, lost: (error) => observer.lost(error) }, signal),
        [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
      };
    },
  };
}

/** Makes logind read its configuration again, by a signal. */
const reloadCall: DbusCall = {
  destination: 'org.freedesktop.systemd1',
  path: '/org/freedesktop/systemd1',
  interface: 'org.freedesktop.systemd1.Manager',
  member: 'KillUnit',
  signature: 'ssi',
  body: ['systemd-logind.service', 'all', SIGHUP],
};
