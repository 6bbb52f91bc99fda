import { existsSync, readFileSync } from 'node:fs';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Value of an unlimited size, as Go's client of Prometheus reports it. */
const UNLIMITED = 2 ** 64;

/**
 * Registers metrics of the process that prom-client does not have, with the names of Go's client: its limit of memory, and the traffic of its network namespace. Without
 * `/proc` there are none.
 */
export function collectProcessLimits(registry: Registry, procDirectory = '/proc/self'): void {
  if (!existsSync(`${procDirectory}/limits`)) return;
  const registers = [registry];
  const read = (name: string): string => readFileSync(`${procDirectory}/${name}`, 'latin1');
  const virtualMemory: Gauge = new Gauge({
    name: 'process_virtual_memory_max_bytes',
    help: 'Maximum amount of virtual memory available in bytes.',
    registers,
    collect: (): void => virtualMemory.set(addressSpaceLimit(read('limits'))),
  });
  const traffic = (direction: 'receive' | 'transmit', help: string, field: string): void => {
    const counter = new Counter({
      name: `process_network_${direction}_bytes_total`,
      help,
      registers,
      collect() {
        counter.reset();
        counter.inc(ipCounter(read('net/netstat'), field));
      },
    });
  };
  traffic('receive', 'Number of bytes received by the process over the network.', 'InOctets');
  traffic('transmit', 'Number of bytes sent by the process over the network.', 'OutOctets');
}

/** Returns the limit of the address space, in bytes. */
function addressSpaceLimit(limits: string): number {
  const soft = /^Max address space\s+(\S+)/m.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? UNLIMITED : Number(soft);
}

/** Returns a counter of the line `IpExt`, whose names are in the line before. */
function ipCounter(netstat: string, field: string): number {
  const [names = [], values = []] = netstat
    .split('\n')
    .filter((line) => line.startsWith('IpExt:'))
    .map((line) => line.split(' '));
  return Number(values[names.indexOf(field)] ?? 0);
}
