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

/** Says what went wrong on a connection to `hostname` and `port` as the kubelet would: `dial tcp 10.0.0.1:80: connect: connection refused`. */
export function transportErrorText(error: Error, hostname: string, port: number): string {
  // Several addresses were tried for one name: the first tells enough.
  const first: unknown = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  const { code = '', syscall = '', message } = (first ?? error) as NodeJS.ErrnoException;
  if (message === 'socket hang up') return 'EOF';
  if (syscall === 'getaddrinfo') {
    return `dial tcp: lookup ${hostname}: ${code === 'ENOTFOUND' ? 'no such host' : code}`;
  }
  const meaning = meanings[code];
  if (meaning === undefined) return message;
  return syscall === 'connect'
    ? `dial tcp ${hostAndPort(hostname, port)}: connect: ${meaning}`
    : `${syscall === '' ? 'read' : syscall} tcp ${hostAndPort(hostname, port)}: ${meaning}`;
}
