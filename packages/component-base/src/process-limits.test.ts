import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { collectProcessLimits } from './process-limits.ts';

it('reads limits and traffic at each collection', async () => {
  await using folder = await mkdtempDisposable('/tmp/process-limits-');
  const netstat = (received: number): string =>
    `TcpExt: SyncookiesSent\nTcpExt: 0\nIpExt: InNoRoutes InOctets OutOctets\nIpExt: 0 ${String(received)} 70\n`;
  await mkdir(`${folder.path}/net`);
  await writeFile(`${folder.path}/limits`, 'Limit  Soft\nMax address space         unlimited  unlimited  bytes\n');
  await writeFile(`${folder.path}/net/netstat`, netstat(50));
  const registry = new Registry();
  collectProcessLimits(registry, folder.path);
  expect(await registry.metrics()).toMatch(/^process_virtual_memory_max_bytes 18446744073709552000$/m);
  await writeFile(`${folder.path}/limits`, 'Max address space  4096  8192  bytes\n');
  await writeFile(`${folder.path}/net/netstat`, netstat(60));
  const text = await registry.metrics();
  expect(text).toMatch(/^process_virtual_memory_max_bytes 4096$/m);
  expect(text).toMatch(/^process_network_receive_bytes_total 60$/m);
  expect(text).toMatch(/^process_network_transmit_bytes_total 70$/m);
});

it('registers nothing without /proc', async () => {
  const registry = new Registry();
  collectProcessLimits(registry, '/none');
  expect((await registry.getMetricsAsJSON()).length).toBe(0);
});
