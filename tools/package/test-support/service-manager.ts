import type { PrivateMachine } from '@rxlet/test-containerd/private-machine';
import { startProgram } from './program.ts';

/** A service that runs by the command of its unit, as systemd would run it. */
export interface RunningService extends AsyncDisposable {
  readonly pid: number;
  /** Messages to the service manager of the main process so far. */
  readonly messages: () => readonly string[];
  readonly output: () => string;
  /** Resolves at its end, with its exit code. */
  readonly ended: Promise<number | null>;
}

/** Settings of a unit by their names, without their sections. */
export type Unit = ReadonlyMap<string, string>;

/** Parses a unit of systemd whose settings have one value each. */
export function parseUnit(text: string): Unit {
  return new Map([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/** Prints the messages of a service, with the process in whose name they came, and closes the barriers that systemd-notify waits for. */
const RECEIVER = `
import os, socket, struct, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
s.bind(sys.argv[1].replace('@', chr(0)))
print('bound', flush=True)
while True:
    data, rest, _, _ = s.recvmsg(4096, 256)
    for _, kind, value in rest:
        if kind == socket.SCM_CREDENTIALS: sender = struct.unpack('3i', value)[0]
        if kind == socket.SCM_RIGHTS: [os.close(fd) for fd in struct.unpack('%di' % (len(value) // 4), value)]
    print(sender, data.decode(), flush=True)
`;

/** Options of {@link startService}. */
export interface ServiceOptions {
  readonly machine: PrivateMachine;
  readonly unit: Unit;
  /** Content of the unit's EnvironmentFile. */
  readonly environmentFile: string;
  /** Address of the socket for notifications; abstract if it begins with @. */
  readonly notifySocket: string;
  /** Interval of the watchdog, instead of the unit's. */
  readonly watchdogMs: number;
  /** File of the main process id. */
  readonly pidFile: string;
}

/** Starts the service of a unit of type notify. Rejects when it ends before it has reported that it is ready. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { machine, unit, environmentFile, notifySocket, watchdogMs, pidFile } = options;
  const receiver = startProgram(machine, 'python3', ['-c', RECEIVER, notifySocket]);
  await receiver.printed('bound');
  const environment = [...environmentFile.matchAll(/^(\w+)="(.*)"$/gm)].map(([, name = '', value = '']) => ({
    name,
    value,
  }));
  const argv = unit
    .get('ExecStart')!
    .split(' ')
    .flatMap((word) => {
      if (!word.startsWith('$')) return [word];
      const value = environment.find(({ name }) => `$${name}` === word)?.value ?? '';
      return value.split(' ').filter(Boolean);
    });
  const service = startProgram(machine, 'sh', [
    '-c',
    `echo $$ >${pidFile}; exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin "$@"`,
    'sh',
    ...environment.map(({ name, value }) => `${name}=${value}`),
    `NOTIFY_SOCKET=${notifySocket}`,
    `WATCHDOG_USEC=${String(watchdogMs * 1000)}`,
    ...argv,
  ]);
  const pid = service.child.pid!;
  const close = async (): Promise<void> => {
    await service.end();
    receiver.child.kill('SIGKILL');
    await receiver.ended;
  };
  const early = service.ended.then((code) => `it ended with ${String(code)}`);
  const failure = await Promise.race([receiver.printed(`${String(pid)} READY=1`), early]);
  if (failure !== undefined) {
    await close();
    throw new Error(`the service did not become ready: ${failure}\n${service.output()}`);
  }
  const messages = (): readonly string[] =>
    [...receiver.output().matchAll(/^(\d+) (.*)$/gm)].flatMap(([, sender, message = '']) =>
      Number(sender) === pid ? [message] : [],
    );
  return { pid, messages, output: service.output, ended: service.ended, [Symbol.asyncDispose]: close };
}
