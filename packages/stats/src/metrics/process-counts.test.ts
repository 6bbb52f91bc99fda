import { atEndOfTurn } from '@rxlet/component-base';
import { expect, it } from 'vitest';
import { countProcesses } from './process-counts.ts';

it('lets other work run while it reads the links of a process with many open files', async () => {
  const names = Array.from({ length: 10_000 }, (_, index) => String(index));
  let links = 0;
  const counts = countProcesses(
    {
      list: async () => names,
      read: () => undefined,
      readLink: () => (links++ % 2 === 0 ? 'socket:[1]' : '/dev/null'),
    },
    [1],
  );
  await new Promise<void>(atEndOfTurn);
  expect(links).toBeLessThan(names.length);
  await expect(counts).resolves.toMatchObject({ fileDescriptors: 10_000, sockets: 5000 });
});
