import type { Clock } from '@rxlet/component-base';
import { createNodeFiles } from '@rxlet/node-files';
import { connectDbus, type DbusCall, DbusError } from '../dbus/dbus-connection.ts';
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
const BUS = 'org.freedesktop.DBus';
const RULES = [
  `type='signal',sender='${LOGIND.destination}',interface='${MANAGER}',member='PrepareForShutdown',path='${LOGIND.path}'`,
  `type='signal',sender='${BUS}',interface='${BUS}',member='NameOwnerChanged',arg0='${LOGIND.destination}'`,
];

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
      // Every user of the machine may send any signal over the bus, also to this connection alone.
      let logindName: string | undefined;
      const bus = await connectDbus(
        busAddress,
        {
          clock,
          rules: RULES,
          observer: {
            lost: (error) => observer.lost(error),
            signal({ sender, interface: name, member, body }) {
              if (sender === BUS && member === 'NameOwnerChanged' && body[0] === LOGIND.destination)
                logindName = String(body[2]);
              if (sender === undefined || sender !== logindName) return;
              if (name === MANAGER && member === 'PrepareForShutdown' && typeof body[0] === 'boolean')
                observer.prepareForShutdown(body[0]);
            },
          },
        },
        connectSignal,
      );
      try {
        const [owner] = await bus.call(ownerCall, connectSignal);
        // A change of the owner that came with the answer is newer.
        logindName ??= String(owner);
      } catch (error) {
        // While logind does not run, its name has no owner.
        if (!(error instanceof DbusError)) {
          await bus[Symbol.asyncDispose]();
          throw error;
        }
      }
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

/** Returns the unique name of logind's connection. */
const ownerCall: DbusCall = {
  destination: BUS,
  path: '/org/freedesktop/DBus',
  interface: BUS,
  member: 'GetNameOwner',
  signature: 's',
  body: [LOGIND.destination],
};

/** Makes logind read its configuration again, by a signal. */
const reloadCall: DbusCall = {
  destination: 'org.freedesktop.systemd1',
  path: '/org/freedesktop/systemd1',
  interface: 'org.freedesktop.systemd1.Manager',
  member: 'KillUnit',
  signature: 'ssi',
  body: ['systemd-logind.service', 'all', SIGHUP],
};
