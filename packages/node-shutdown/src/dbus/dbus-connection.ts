import { createConnection, type Socket } from 'node:net';
import { type Clock, withDeadline } from '@rxlet/component-base';
import { decodeMessage, type DbusMessage, type DbusValue, encodeMessage, MessageType } from './dbus-message.ts';

/** A connection to a message bus. */
export interface DbusConnection extends AsyncDisposable {
  /** Calls a method. @returns the values of its reply @throws DbusError for a call that fails */
  call(call: DbusCall, signal: AbortSignal): Promise<readonly DbusValue[]>;
}

/** A call of a method. */
export interface DbusCall extends Required<Pick<DbusMessage, 'destination' | 'path' | 'interface' | 'member'>> {
  /** Types of the arguments. Default: no arguments. */
  readonly signature?: string;
  readonly body?: readonly DbusValue[];
}

/** Receives signals and the end of a {@link DbusConnection}. */
export interface DbusObserver {
  signal(message: DbusMessage): void;
  lost(error: Error): void;
}

/** A call that the other side rejected. */
export class DbusError extends Error {
  override readonly name = 'DbusError';
  /** Name of the error, such as `org.freedesktop.DBus.Error.ServiceUnknown`. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message === '' ? reason : message);
    this.reason = reason;
  }
}

const BUS = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
const CALL_TIMEOUT_MS = 25_000;
const MAX_AUTHENTICATION_BYTES = 16 * 1024;

/** Connects to the bus with this address, such as `unix:path=/run/dbus/system_bus_socket`. @throws Error when it cannot be used */
export async function connectDbus(
  address: string,
  {
    clock,
    observer,
    rules,
  }: { readonly clock: Clock; readonly observer: DbusObserver; readonly rules: readonly string[] },
  signal: AbortSignal,
): Promise<DbusConnection> {
  const socket = createConnection({ path: socketPathOf(address) });
  const pending = new Map<number, PromiseWithResolvers<readonly DbusValue[]>>();
  const authenticated = Promise.withResolvers<void>();
  authenticated.promise.catch(() => undefined);
  let received: Buffer = Buffer.alloc(0);
  let isAuthenticated = false;
  let isDisposed = false;
  let lastSerial = 0;

  const fail = (error: Error): void => {
    socket.destroy();
    authenticated.reject(error);
    for (const call of pending.values()) call.reject(error);
    pending.clear();
    if (!isDisposed && isAuthenticated) observer.lost(error);
    isDisposed = true;
  };
  const receive = (message: DbusMessage): void => {
    if (message.type === MessageType.signal) observer.signal(message);
    const call = message.replySerial === undefined ? undefined : pending.get(message.replySerial);
    if (call === undefined) return;
    pending.delete(message.replySerial!);
    if (message.type === MessageType.error)
      call.reject(
        new DbusError(message.errorName ?? 'org.freedesktop.DBus.Error.Failed', String(message.body[0] ?? '')),
      );
    else call.resolve(message.body);
  };
  const authenticate = (): boolean => {
    const end = received.indexOf('\r\n');
    if (end < 0) {
      if (received.length > MAX_AUTHENTICATION_BYTES) throw new Error('its answer is too long');
      return false;
    }
    const line = received.toString('latin1', 0, end);
    if (!line.startsWith('OK ')) throw new Error(`it rejects this user: ${line}`);
    received = received.subarray(end + 2);
    socket.write('BEGIN\r\n');
    isAuthenticated = true;
    authenticated.resolve();
    return true;
  };
  socket.on('data', (bytes: Buffer) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    try {
      if (!isAuthenticated && !authenticate()) return;
      for (let next = decodeMessage(received); next !== undefined; next = decodeMessage(received)) {
        received = received.subarray(next.length);
        receive(next.message);
      }
    } catch (error) {
      fail(new Error(`cannot use the bus at ${address}: ${(error as Error).message}`, { cause: error }));
    }
  });
  socket.on('error', (error) =>
    fail(new Error(`cannot use the bus at ${address}: ${error.message}`, { cause: error })),
  );
  socket.on('close', () => fail(new Error(`the bus at ${address} has closed the connection`)));
  // The bus learns the user from the socket; the first byte carries it.
  socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.() ?? 0)).toString('hex')}\r\n`);

  const connection: DbusConnection = {
    async call({ signature = '', body = [], ...head }, on) {
      lastSerial += 1;
      const serial = lastSerial;
      const reply = Promise.withResolvers<readonly DbusValue[]>();
      if (isDisposed) throw new Error(`the connection to the bus at ${address} is closed`);
      pending.set(serial, reply);
      socket.write(encodeMessage({ ...head, type: MessageType.call, serial, signature, body }));
      try {
        return await withDeadline(clock, CALL_TIMEOUT_MS, on, () => reply.promise);
      } finally {
        pending.delete(serial);
      }
    },
    [Symbol.asyncDispose]: () => closeSocket(socket, () => void (isDisposed = true)),
  };
  try {
    await withDeadline(clock, CALL_TIMEOUT_MS, signal, () => authenticated.promise);
    await connection.call({ ...BUS, member: 'Hello' }, signal);
    for (const rule of rules)
      await connection.call({ ...BUS, member: 'AddMatch', signature: 's', body: [rule] }, signal);
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
  return connection;
}

function closeSocket(socket: Socket, closing: () => void): Promise<void> {
  closing();
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
    socket.destroy();
  });
}

/** Returns the path of the first unix socket of an address, which may list several. */
function socketPathOf(address: string): string {
  for (const one of address.split(';')) {
    const [, key, value] = /^unix:(?:.*,)?(path|abstract)=([^,]+)/.exec(one) ?? [];
    if (value === undefined) continue;
    const path = decodeURIComponent(value);
    return key === 'abstract' ? `\0${path}` : path;
  }
  throw new Error(`the address "${address}" of the bus is not a unix socket: it must begin with "unix:path="`);
}
