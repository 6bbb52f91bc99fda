import { describe, expect, it } from 'vitest';
import { transportErrorText } from './transport-error.ts';

const text = (message: string, more: object = {}): string =>
  transportErrorText(Object.assign(new Error(message), more), '10.0.0.1', 80);
const openssl = (rest: string): string => `write EPROTO 40FDE561E37F0000:error:0A000410:SSL routines:${rest}\n`;

describe('transportErrorText', () => {
  it.each([
    ['connect', 'ECONNREFUSED', 'dial tcp 10.0.0.1:80: connect: connection refused'],
    ['connect', 'EHOSTUNREACH', 'dial tcp 10.0.0.1:80: connect: no route to host'],
    ['read', 'ECONNRESET', 'read tcp 10.0.0.1:80: read: connection reset by peer'],
    ['write', 'EPIPE', 'write tcp 10.0.0.1:80: write: broken pipe'],
    [undefined, 'ECONNRESET', 'read tcp 10.0.0.1:80: read: connection reset by peer'],
    ['getaddrinfo', 'ENOTFOUND', 'dial tcp: lookup 10.0.0.1: no such host'],
    ['getaddrinfo', 'EAI_AGAIN', 'dial tcp: lookup 10.0.0.1: EAI_AGAIN'],
    ['read', 'ESTRANGE', 'as the system says'],
  ])('%s %s', (syscall, code, want) => expect(text('as the system says', { syscall, code })).toBe(want));

  it.each([
    ['ssl3_read_bytes:tlsv13 alert certificate required:../a.c:918:SSL alert number 116', 'certificate required'],
    ['ssl3_read_bytes:tlsv1 alert protocol version:../a.c:918:SSL alert number 70', 'protocol version not supported'],
    ['ssl3_read_bytes:reason(1000):../a.c:918:SSL alert number 200', 'alert(200)'],
  ])('names the alert of a TLS server without addresses: %s', (rest, want) =>
    expect(text(openssl(rest))).toBe(`remote error: tls: ${want}`),
  );

  it('names other TLS errors', () => {
    expect(text(openssl('tls_process_ske_dhe:dh key too small:../b.c:2354:'))).toBe('tls: dh key too small');
  });

  it.each([
    ['SSH-2.0-OpenSSH_9.6\r\n', 'malformed HTTP response "SSH-2.0-OpenSSH_9.6"'],
    ['\u0015\u0003\u0001\u0000\u0002\u0002\n', String.raw`malformed HTTP response "\x15\x03\x01\x00\x02\x02"`],
    ['HTTP/1.1 abc OK\r\n', 'malformed HTTP status code "abc"'],
    ['HTTP/1.1 2000 OK\r\n', 'malformed HTTP status code "2000"'],
    ['HTTP/x 200 OK\r\n', 'malformed HTTP version "HTTP/x"'],
    ['HTTP/1.1 200 OK\r\nbad', 'Parse Error: no luck'],
    ['x'.repeat(100_000), `malformed HTTP response "${'x'.repeat(1024)}"`],
  ])('quotes a malformed first line: %j', (answer, want) => {
    const error = { code: 'HPE_INVALID_CONSTANT', rawPacket: Buffer.from(answer) };
    expect(text('Parse Error: no luck', error)).toBe(`net/http: HTTP/1.x transport connection broken: ${want}`);
  });
});
