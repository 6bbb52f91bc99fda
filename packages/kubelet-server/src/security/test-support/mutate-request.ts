import type { Random } from '@rxlet/component-base';

const METHODS = ['GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH', 'TRACE', 'CONNECT', 'PRI', 'get'];
const HEADERS = [
  'Authorization: Bearer wrong',
  'Authorization: Bearer weak',
  'Authorization: Basic YWRtaW46',
  'Connection: Upgrade',
  'Connection: close',
  'Upgrade: websocket',
  'Upgrade: SPDY/3.1',
  'Upgrade: h2c',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Sec-WebSocket-Protocol: v5.channel.k8s.io',
  'Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.YWRtaW4tbm90, v4.channel.k8s.io',
  'X-Stream-Protocol-Version: v4.channel.k8s.io',
  'Content-Length: 5',
  'Content-Length: 0',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Expect: 100-nothing',
  'Range: bytes=0-1',
  'Accept: */*',
  'Accept: application/json',
  'Host: y',
  'X-Forwarded-For: 127.0.0.1',
];
const PIECES = [
  '..',
  '%2e%2e',
  '/',
  '//',
  '%2f',
  '%00',
  '%',
  '%zz',
  '?',
  ';',
  '#',
  '\\',
  '@',
  ':',
  ' ',
  '\r\n',
  '\t',
  'é',
  '%ff',
  'x'.repeat(300),
  '*',
  'http://y',
];
const BODIES = [
  '',
  'hello',
  '5\r\nhello\r\n0\r\n\r\n',
  '0\r\n\r\n',
  'GET /pods HTTP/1.1\r\nHost: x\r\n\r\n',
  '\u0000\u0001',
];

/** Returns a request to one of the paths with random faults: other methods, paths, headers and bodies, and changed bytes. */
export function mutateRequest(random: Random, paths: readonly string[]): Buffer {
  const below = (count: number): number => Math.floor(random.next() * count);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;
  const chance = (probability: number): boolean => random.next() < probability;
  let path = pick(paths);
  for (let count = chance(0.6) ? 1 + below(3) : 0; count > 0; count -= 1) {
    const at = below(path.length + 1);
    path = path.slice(0, at) + pick(PIECES) + path.slice(chance(0.3) ? Math.min(path.length, at + 1 + below(4)) : at);
  }
  const headers = Array.from({ length: below(7) }, () => pick(HEADERS));
  const version = chance(0.9) ? 'HTTP/1.1' : pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', '']);
  const head = [`${pick(METHODS)} ${path} ${version}`, ...(chance(0.9) ? ['Host: x'] : []), ...headers, '', ''].join(
    '\r\n',
  );
  const bytes = Buffer.from(head + pick(BODIES), 'latin1');
  for (let count = chance(0.3) ? 1 + below(4) : 0; count > 0; count -= 1) bytes[below(bytes.length)] = below(256);
  return chance(0.1) ? bytes.subarray(0, below(bytes.length)) : bytes;
}
