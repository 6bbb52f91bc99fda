import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { sleep, systemClock } from '@rxlet/component-base';
import { expect, it, onTestFinished } from 'vitest';
import { decodeMessage, type DbusMessage, encodeMessage, MessageType } from '../dbus/dbus-message.ts';
import { createSystemLogind } from './system-logind.ts';

const LOGIND = ':1.5';
const OTHER_USER = ':1.66';
const MANAGER = 'org.freedesktop.login1.Manager';

interface TestBus {
  readonly address: string;
  /** Owner of the name of logind; `undefined` while logind does not run. */
  owner: string | undefined;
  /** Sends a signal to the client. */
  signal(sender: string, iface: string, member: string, signature: string, ...body: DbusMessage['body']): void;
}

/** Serves a message bus with one client, whose calls all succeed. */
async function serveBus(): Promise<TestBus> {
  const directory = await mkdtemp(`${tmpdir()}/bus-`);
  let client: Socket | undefined;
  let serial = 0;
  const send = (message: Omit<DbusMessage, 'serial'>): void => {
    serial += 1;
    client?.write(encodeMessage({ ...message, serial }));
  };
  const answer = ({ serial: replySerial, member }: DbusMessage): void => {
    const reply = { type: MessageType.reply, replySerial, sender: 'org.freedesktop.DBus', signature: '', body: [] };
    if (member !== 'GetNameOwner') send(reply);
    else if (bus.owner !== undefined) send({ ...reply, signature: 's', body: [bus.owner] });
    else send({ ...reply, type: MessageType.error, errorName: 'org.freedesktop.DBus.Error.NameHasNoOwner' });
  };
  const server = createServer((socket) => {
    client = socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    let isAuthenticated = false;
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (!isAuthenticated && !received.includes('BEGIN\r\n')) {
        if (received.includes('AUTH')) socket.write('OK 0123456789abcdef\r\n');
        return;
      }
      if (!isAuthenticated) received = received.subarray(received.indexOf('BEGIN\r\n') + 7);
      isAuthenticated = true;
      for (let next = decodeMessage(received); next !== undefined; next = decodeMessage(received)) {
        received = received.subarray(next.length);
        answer(next.message);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(`${directory}/bus`, resolve));
  onTestFinished(async () => {
    client?.destroy();
    server.close();
    await rm(directory, { recursive: true });
  });
  const bus: TestBus = {
    address: `unix:path=${directory}/bus`,
    owner: LOGIND,
    signal(sender, iface, member, signature, ...body) {
      const path = iface === MANAGER ? '/org/freedesktop/login1' : '/org/freedesktop/DBus';
      send({ type: MessageType.signal, sender, path, interface: iface, member, signature, body });
    },
  };
  return bus;
}

async function connect(bus: TestBus) {
  const announced: boolean[] = [];
  const observer = { prepareForShutdown: (begins: boolean) => void announced.push(begins), lost: () => undefined };
  const logind = createSystemLogind({ clock: systemClock, busAddress: bus.address });
  const connection = await logind.connect(observer, new AbortController().signal);
  onTestFinished(() => connection[Symbol.asyncDispose]());
  return {
    async announcements(count: number): Promise<readonly boolean[]> {
      for (let step = 0; step < 400 && announced.length < count; step += 1) await sleep(systemClock, 5);
      return announced;
    },
  };
}

const prepareForShutdown = (bus: TestBus, sender: string, begins: boolean): void =>
  bus.signal(sender, MANAGER, 'PrepareForShutdown', 'b', begins);
const ownerChanged = (bus: TestBus, sender: string, from: string, to: string): void =>
  bus.signal(sender, 'org.freedesktop.DBus', 'NameOwnerChanged', 'sss', 'org.freedesktop.login1', from, to);

it('ignores a shutdown that another user of the bus announces', async () => {
  const bus = await serveBus();
  const client = await connect(bus);
  prepareForShutdown(bus, OTHER_USER, true);
  ownerChanged(bus, OTHER_USER, LOGIND, OTHER_USER);
  prepareForShutdown(bus, OTHER_USER, true);
  prepareForShutdown(bus, LOGIND, false);
  expect(await client.announcements(1)).toEqual([false]);
});

it('announces the shutdowns of a logind that has restarted, or has started later', async () => {
  const bus = await serveBus();
  bus.owner = undefined;
  const client = await connect(bus);
  ownerChanged(bus, 'org.freedesktop.DBus', '', LOGIND);
  prepareForShutdown(bus, LOGIND, true);
  ownerChanged(bus, 'org.freedesktop.DBus', LOGIND, ':1.7');
  prepareForShutdown(bus, LOGIND, true);
  prepareForShutdown(bus, ':1.7', false);
  expect(await client.announcements(2)).toEqual([true, false]);
});
