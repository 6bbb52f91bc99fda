import { isIPv4 } from 'node:net';
import { canonicalIp } from '@rxlet/pod-model';

/** Error for a `--node-ip` that no node can have. */
export class NodeIpError extends Error {
  override readonly name = 'NodeIpError';
}

/**
 * Returns the addresses of `--node-ip` in canonical form: none, one, or one of each family. Parts that are no address are left out, as in the kubelet; pass
 * `onIgnored` to report them. A single `0.0.0.0` or `::` stands for any address of its family.
 *
 * @throws NodeIpError for more addresses
 */
export function parseNodeIps(flag: string, onIgnored?: (text: string) => void): readonly string[] {
  if (flag === '') return [];
  const ips = flag.split(',').flatMap((part) => {
    const ip = canonicalIp(part.trim());
    if (ip === undefined) onIgnored?.(part.trim());
    return ip === undefined ? [] : [ip];
  });
  const [first = '', second = ''] = ips;
  if (ips.length > 2 || (ips.length === 2 && isIPv4(first) === isIPv4(second)))
    throw new NodeIpError(`bad --node-ip "${flag}": must contain either a single IP or a dual-stack pair of IPs`);
  if (ips.length === 2 && ips.some(isUnspecifiedIp))
    throw new NodeIpError(`bad --node-ip "${flag}": dual-stack node IP cannot include '0.0.0.0' or '::'`);
  return ips;
}

/** Reports whether a canonical address stands for any address of its family. */
export function isUnspecifiedIp(ip: string): boolean {
  return ip === '0.0.0.0' || ip === '::';
}

/** Returns why an address in canonical form cannot be that of the node, in the words of the kubelet; `undefined` if it can. */
export function nodeIpProblem(ip: string, hostIps: readonly string[]): string | undefined {
  // Not `isIP`: compiling its regular expression for IPv6 is a noticeable part of the start of an agent.
  const isV4 = isIPv4(ip);
  if (isV4 ? ip.startsWith('127.') : ip === '::1') return "nodeIP can't be loopback address";
  if (isV4 ? /^(22[4-9]|23\d)\./.test(ip) : ip.startsWith('ff')) return "nodeIP can't be a multicast address";
  if (isV4 ? ip.startsWith('169.254.') : /^fe[89ab][\da-f]:/.test(ip))
    return "nodeIP can't be a link-local unicast address";
  if (isUnspecifiedIp(ip)) return "nodeIP can't be an all zeros address";
  if (!hostIps.includes(ip)) return `node IP: "${ip}" not found in the host's network interfaces`;
  return undefined;
}
