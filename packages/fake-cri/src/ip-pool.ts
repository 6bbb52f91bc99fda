import { ServiceError, StatusCode } from '@rxlet/cri-api';

/** Assigns the IPv4 addresses of sandboxes. */
export interface IpPool {
  /**
   * Returns the next free address. Addresses are assigned in turn, so that a released one is not reused at once (as by CNI's host-local). Throws
   * ResourceExhausted when none is free.
   */
  allocate(): string;
  /** Takes a given address, of a restored sandbox. */
  claim(ip: string): void;
  /** Releases an address. */
  release(ip: string): void;
  /**
   * Takes addresses from `cidr` from now on; those in use stay valid. Throws InvalidArgument when it is not an IPv4 network with a prefix of 8 to 30 bits.
   * A loopback pool keeps its network, because ports could not listen on any other.
   */
  setCidr(cidr: string): void;
}

/**
 * Creates an {@link IpPool} on `cidr`, which for a loopback pool must be within 127.0.0.0/8. The network's first address, its gateway (the second) and its
 * broadcast address are never assigned.
 */
export function createIpPool(cidr: string, kind: 'loopback' | 'any' = 'any'): IpPool {
  const used = new Set<string>();
  let { base, size } = parseCidr(cidr);
  let next = 0;
  if (kind === 'loopback' && base >>> 24 !== 127)
    throw new ServiceError(StatusCode.InvalidArgument, `"${cidr}" is not within 127.0.0.0/8`);
  return {
    allocate() {
      const usable = size - 3;
      for (let tries = 0; tries < usable; tries++) {
        const ip = formatIp(base + 2 + next);
        next = (next + 1) % usable;
        if (used.has(ip)) continue;
        used.add(ip);
        return ip;
      }
      throw new ServiceError(
        StatusCode.ResourceExhausted,
        'failed to set up the network of the sandbox: no free IP address',
      );
    },
    claim: (ip) => void used.add(ip),
    release: (ip) => void used.delete(ip),
    setCidr(newCidr) {
      const parsed = parseCidr(newCidr);
      if (kind === 'loopback') return;
      ({ base, size } = parsed);
      next = 0;
    },
  };
}

function parseCidr(cidr: string): { base: number; size: number } {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  const [a = 256, b = 256, c = 256, d = 256, bits = 33] = (match ?? []).slice(1).map(Number);
  if (Math.max(a, b, c, d) > 255 || bits < 8 || bits > 30) {
    throw new ServiceError(
      StatusCode.InvalidArgument,
      `"${cidr}" is not an IPv4 network with a prefix of 8 to 30 bits`,
    );
  }
  const size = 2 ** (32 - bits);
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  return { base: address - (address % size), size };
}

function formatIp(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
}
