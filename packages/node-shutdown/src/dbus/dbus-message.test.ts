import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeMessage, type DbusMessage, DbusProtocolError, encodeMessage, MessageType } from './dbus-message.ts';

const call: DbusMessage = {
  type: MessageType.call,
  serial: 7,
  path: '/org/freedesktop/login1',
  interface: 'org.freedesktop.DBus.Properties',
  member: 'Get',
  destination: 'org.freedesktop.login1',
  signature: 'ss',
  body: ['org.freedesktop.login1.Manager', 'PreparingForShutdown'],
};

/** Reply of a property: a variant with a 64-bit number. */
const REPLY = Buffer.from(
  '6c020101' +
    '10000000' +
    '05000000' +
    '0f000000' +
    '0501750007000000' +
    '0801670001760000' +
    '0174000000000000' +
    '404b4c0000000000',
  'hex',
);

describe('a message', () => {
  it('is read as it was written', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).map((one) => one.replaceAll('\0', ''));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), fc.nat(2 ** 31), (body, serial) => {
        const message = { ...call, serial, signature: 's'.repeat(body.length), body };
        const bytes = encodeMessage(message);
        expect(decodeMessage(Buffer.concat([bytes, Buffer.from('more')]))).toEqual({ message, length: bytes.length });
        expect(decodeMessage(bytes.subarray(0, bytes.length - 1))).toEqual(
          bytes.length === 0 ? expect.anything() : undefined,
        );
      }),
    );
  });

  it('has the content of a variant in its place', () => {
    expect(decodeMessage(REPLY)).toEqual({
      length: REPLY.length,
      message: { type: MessageType.reply, serial: 5, replySerial: 7, signature: 'v', body: [5_000_000n] },
    });
  });

  it('has only the values before a variant that is not supported', () => {
    const bytes = encodeMessage({ ...call, type: MessageType.signal, signature: 'sgu', body: ['first', 'as', 0] });
    // The same bytes are a text and a variant with an empty list.
    bytes.write('svv', bytes.indexOf('sgu'));
    expect(decodeMessage(bytes)).toMatchObject({ length: bytes.length, message: { body: ['first'] } });
  });

  it('fails in one way only, whatever the bytes are', () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 64 }).map((array) => {
      const buffer = Buffer.from(array);
      buffer[0] = 0x6c;
      buffer[3] = 1;
      buffer.writeUInt32LE(buffer.readUInt32LE(4) % 32, 4);
      buffer.writeUInt32LE(buffer.readUInt32LE(12) % 32, 12);
      return buffer;
    });
    fc.assert(
      fc.property(bytes, (buffer) => {
        try {
          decodeMessage(buffer);
        } catch (error) {
          expect(error).toBeInstanceOf(DbusProtocolError);
        }
      }),
    );
  });

  it.each([
    ['other bytes', Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
    ['a length beyond the limit', Buffer.from('6c010001ffffff7f0100000000000000', 'hex')],
  ])('is rejected for %s', (_name, bytes) => {
    expect(() => decodeMessage(bytes)).toThrow(DbusProtocolError);
  });
});
