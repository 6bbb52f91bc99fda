import { goQuote } from '../go-quote.ts';
import { hostAndPort } from './http-port.ts';

/** Messages of system error codes with the wording of the C library, which the kubelet's messages use too. */
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

/** TLS alerts with which a server rejects a client (RFC 8446, section 6), as Go names them. */
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

/** Node.js messages for a connection that the server closed before it responded. */
const closedEarly = /^socket hang up$|disconnected before secure TLS connection/;

/** Describes the failure of a connection to `hostname` and `port` with the kubelet's wording: `dial tcp 10.0.0.1:80: connect: connection refused`. */
export function transportErrorText(error: Error, hostname: string, port: number): string {
  // A name may have several addresses. The first error is enough.
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

/** Returns Go's wording of an OpenSSL message, without the addresses and line numbers that would make each message a different one. */
function tlsErrorText(message: string): string {
  const [, alert] = /SSL alert number (\d+)/.exec(message) ?? [];
  if (alert !== undefined) return `remote error: tls: ${tlsAlerts[alert] ?? `alert(${alert})`}`;
  const [, reason] = /:SSL routines:[^:]*:([^:]*)/.exec(message) ?? [];
  return `tls: ${reason ?? 'handshake failure'}`;
}

/** Maximum length of a malformed line in a message. */
const MAX_LINE_BYTES = 1024;

/** Describes a malformed first line of a response; otherwise returns the parser's message. */
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
