import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type ConfigurationStage, KubeletConfigurationError, type LoadedConfiguration } from '@rxlet/kubelet-config';

type Flags = LoadedConfiguration['flags'];

function flagText(flags: Flags, name: string): string | undefined {
  return flags.get(name) as string | undefined;
}

function reject(stage: ConfigurationStage, message: string): never {
  throw new KubeletConfigurationError(stage, [message]);
}

/** Returns the absolute path of `--root-dir`. */
export function rootDirectoryOf(flags: Flags, defaultDirectory: string): string {
  return resolve(flagText(flags, 'root-dir') ?? defaultDirectory);
}

/** A DNS subdomain name (RFC 1123): the name of a node is one, and part of the names of its static pods. */
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Returns the name of the node: `--hostname-override` or, without a value, the host's name, trimmed and in lower case as in the kubelet. */
export function nodeNameOf(flags: Flags, hostname: string): string {
  const override = flagText(flags, 'hostname-override') ?? '';
  const stage = override === '' ? 'start' : 'flags';
  const name = (override === '' ? hostname : override).trim().toLowerCase();
  if (name === '') reject(stage, 'the node has no name: set --hostname-override');
  if (name.length <= 253 && DNS_SUBDOMAIN.test(name)) return name;
  return reject(
    stage,
    `"${name}" cannot be the name of a node, only letters, digits, "-" and "." can: set --hostname-override`,
  );
}

/**
 * Returns the addresses of the node, the primary one first: those of `--node-ip`, or the machine's. As in the kubelet, an address of all zeros stands for any address of
 * its family, and an empty value for none.
 */
export function nodeAddressesOf(
  flags: Flags,
  { address, addressV6 = address }: { readonly address: string; readonly addressV6?: string | undefined },
): readonly string[] {
  const flag = flagText(flags, 'node-ip')?.trim() ?? '';
  if (flag === '' || flag === '0.0.0.0') return [address];
  if (flag === '::') return [addressV6];
  const given = flag.split(',').map((part) => part.trim());
  const families = new Set(given.map((ip) => isIP(ip)));
  const isUsable = !families.has(0) && !given.includes('0.0.0.0') && !given.includes('::');
  if (isUsable && families.size === given.length) return given;
  return reject(
    'flags',
    `--node-ip "${flag}" is not an address of this node: give an IPv4 or IPv6 address, or one of each`,
  );
}
