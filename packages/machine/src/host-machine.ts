import { statfs } from 'node:fs/promises';
import { arch, availableParallelism, networkInterfaces, release, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { type HostFiles, systemErrorCode } from '@rxlet/node-files';
import { canonicalIp } from '@rxlet/pod-model';
import { defaultRouteInterface, defaultRouteInterfaceV6 } from './default-route.ts';
import { addressesOfInterfaceV4, interfaceAddressesV6, localAddressesV4 } from './kernel-addresses.ts';
import type { HugePages, Machine, MachinePlatform } from './machine.ts';
import { countCpus, hugePageFolderBytes, lowestLimit, memoryInfoBytes, osPrettyName } from './parse-kernel-files.ts';
import { routeAddress } from './route-address.ts';

const HUGE_PAGES = '/sys/kernel/mm/hugepages';
/** UUID of the machine from its firmware, in the order of cAdvisor. */
const UUIDS = ['/sys/class/dmi/id/product_uuid', '/proc/device-tree/system-id', '/proc/device-tree/vm,uuid'];
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Names of Go for the architectures of Node.js. */
const architectures: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
  ['ppc64', 'ppc64le'],
]);

/** Returns the platform of this host. It reads no file. */
export function hostPlatform(): MachinePlatform {
  return { architecture: architectures.get(arch()) ?? arch(), kernelVersion: release() };
}

/**
 * Creates the {@link Machine} of this Linux host. The creation reads nothing.
 *
 * @example
 * ```ts
 * import { createHostMachine } from '@rxlet/machine';
 * import { createHostFiles } from '@rxlet/node-files';
 *
 * const { cores, memoryBytes } = await createHostMachine(createHostFiles()).facts();
 * console.log(cores, memoryBytes);
 * ```
 */
export function createHostMachine(files: Pick<HostFiles, 'list' | 'read'>): Machine {
  /** Returns the text of the first of these files that has one. Texts of the device tree end with a zero byte. */
  const read = async (...paths: readonly string[]): Promise<string> => {
    for (const path of paths) {
      const file = await files.read(path, MAX_FILE_BYTES).catch(() => undefined);
      const text = file === undefined ? '' : Buffer.from(file.bytes).toString().replace(/\0+$/, '').trim();
      if (text !== '') return text;
    }
    return '';
  };
  const hugePages = async (): Promise<HugePages[]> => {
    const listing = await files.list(HUGE_PAGES).catch(() => undefined);
    const found = await Promise.all(
      (listing?.entries ?? []).map(async ({ name }) => {
        const sizeBytes = hugePageFolderBytes(name);
        if (sizeBytes === undefined) return [];
        return [{ sizeBytes, count: Number(await read(`${HUGE_PAGES}/${name}/nr_hugepages`)) || 0 }];
      }),
    );
    return found.flat().sort((left, right) => left.sizeBytes - right.sizeBytes);
  };

  return {
    async facts() {
      const [machineId, online, meminfo] = await Promise.all([
        read('/etc/machine-id', '/var/lib/dbus/machine-id'),
        read('/sys/devices/system/cpu/online'),
        read('/proc/meminfo'),
      ]);
      // All CPUs of the machine, not only those that this process may use.
      const cores = countCpus(online);
      const usable = availableParallelism();
      return {
        ...hostPlatform(),
        cpus: cores === undefined ? `0-${String(usable - 1)}` : online,
        cores: cores ?? usable,
        memoryBytes: memoryInfoBytes(meminfo, 'MemTotal') ?? totalmem(),
        swapBytes: memoryInfoBytes(meminfo, 'SwapTotal') ?? 0,
        hugePages: await hugePages(),
        maxProcesses: lowestLimit([await read('/proc/sys/kernel/pid_max'), await read('/proc/sys/kernel/threads-max')]),
        machineId,
        systemUuid: (await read(...UUIDS)) || machineId,
        bootId: await read('/proc/sys/kernel/random/boot_id'),
        osImage: osPrettyName(await read('/etc/os-release', '/usr/lib/os-release')) ?? 'Unknown',
      };
    },
    async addresses() {
      const paths = ['/proc/net/route', '/proc/net/ipv6_route', '/proc/net/fib_trie', '/proc/net/if_inet6'];
      const [routesV4 = '', routesV6 = '', fibTrie = '', ifInet6 = ''] = await Promise.all(
        paths.map((path) => read(path)),
      );
      // Node.js leaves out interfaces without carrier.
      const interfaces = networkInterfaces();
      const running = Object.values(interfaces).flatMap((list) => list ?? []);
      const localV4 = localAddressesV4(fibTrie);
      const allV6 = interfaceAddressesV6(ifInet6);
      const hostIps = [
        ...running.map(({ address }) => canonicalIp(address)).filter((ip) => ip !== undefined),
        ...localV4,
        ...allV6.map(({ address }) => address),
      ];
      const deviceV4 = defaultRouteInterface(routesV4);
      const deviceV6 = defaultRouteInterfaceV6(routesV6);
      const attachedV4 = deviceV4 === undefined ? [] : addressesOfInterfaceV4(routesV4, deviceV4, localV4);
      const attachedV6 = allV6.find(({ name, isGlobal }) => name === deviceV6 && isGlobal);
      return {
        hostIps: [...new Set(hostIps)],
        defaultRouteIps: {
          v4: routeAddress(interfaces, deviceV4, 'IPv4', attachedV4[0]),
          v6: routeAddress(interfaces, deviceV6, 'IPv6', attachedV6?.address),
        },
      };
    },
    fileSystemBytes,
  };
}

async function fileSystemBytes(path: string): Promise<number> {
  try {
    const { bsize, blocks } = await statfs(path);
    return bsize * blocks;
  } catch (error) {
    const parent = dirname(path);
    if (systemErrorCode(error) !== 'ENOENT' || parent === path) throw error;
    return fileSystemBytes(parent);
  }
}
