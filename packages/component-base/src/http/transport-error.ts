import { goQuote } from '../go-quote.ts';
import { hostAndPort } from './http-port.ts';

/** What the system's error codes mean, in the words of the C library, which the kubelet's messages use too. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by peer',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  EPIPE: 'broken pipe',
  ETIMEDOUT: 'connection timed out',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'cannot assign requested address',
  EMFILE: 'too many open files',
  EINVAL: 'invalid argument',
};

/** The alerts of TLS by which a server refuses a client (RFC 8446, section 6), as Go names them. */
const tlsAlerts: Readonly<Record<string, string>> = {
  10: 'unexpected message',
  20: 'bad record MAC',
  40: 'handshake failure',
  42: 'bad certificate',
  43: 'unsupported certificate',
  46: 'unknown certificate',
  47: 'illegal parameter',
  48: 'unknown certificate authority',
  49: 'access denied',
  70: 'protocol version not supported',
  71: 'insufficient security level',
  80: 'internal error',
  112: 'unrecognized name',
  116: 'certificate required',
  120: 'no application protocol',
};

/** How Node.js says that the server closed the connection before it answered. */
const closedEarly = /^socket hang up$|disconnected before secure TLS connection/;

/** Says what went wrong on a connection to `hostname` and `port` as the kubelet would: `dial tcp 10.0.0.1:80: connect: connection refused`. */
export function transportErrorText(error: Error, hostname: string, port: number): string {
  // Several addresses were tried for one name: the first tells enough.
  const first: unknown = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  const { code = '', syscall = '', message } = (first ?? error) as NodeJS.ErrnoException;
  if (closedEarly.test(message)) return 'EOF';
  const [, reset] = /^Stream closed with error code NGHTTP2_(\w+)$/.exec(message) ?? [];
  if (reset !== undefined) return `stream error: stream ID 1; ${reset}; received from peer`;
  if (message.includes(':SSL routines:')) return tlsErrorText(message);
  if (code.startsWith('HPE_')) return parseErrorText(error);
  if (syscall === 'getaddrinfo') {
    return `dial tcp: lookup ${hostname}: ${code === 'ENOTFOUND' ? 'no such host' : code}`;
  }
  const meaning = meanings[code];
  if (meaning === undefined) return message;
  const call = syscall === '' ? 'read' : syscall;
  return `${call === 'connect' ? 'dial' : call} tcp ${hostAndPort(hostname, port)}: ${call}: ${meaning}`;
}

/** OpenSSL's messages are full of addresses and line numbers, which are nobody's concern and would make each message another one. */
function tlsErrorText(message: string): string {
  const [, alert] = /SSL alert number (\d+)/.exec(message) ?? [];
  if (alert !== undefined) return `remote error: tls: ${tlsAlerts[alert] ?? `alert(${alert})`}`;
  const [, reason] = /:SSL routines:[^:]*:([^:]*)/.exec(message) ?? [];
  return `tls: ${reason ?? 'handshake failure'}`;
}

/** More of a line that is no HTTP is not told. */
const MAX_LINE_BYTES = 1024;

/** What is wrong with the first line of an answer, or else what the parser says. */
function parseErrorText(error: Error & { readonly rawPacket?: Uint8Array }): string {
  const packet = Buffer.from(error.rawPacket ?? []).subarray(0, MAX_LINE_BYTES);
  const [line = ''] = packet.toString().split(/\r?\n/, 1);
  const [, version, status = ''] = /^([^ ]*) +([^ ]*)/.exec(line) ?? [];
  let text = error.message;
  if (version === undefined) text = `malformed HTTP response ${goQuote(line)}`;
  else if (!/^\d{3}$/.test(status)) text = `malformed HTTP status code ${goQuote(status)}`;
  else if (!/^HTTP\/\d\.\d$/.test(version)) text = `malformed HTTP version ${goQuote(version)}`;
  return `net/http: HTTP/1.x transport connection broken: ${text}`;
}
