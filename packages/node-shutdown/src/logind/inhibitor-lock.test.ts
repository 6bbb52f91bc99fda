import { createVirtualClock, spawnWithoutDescriptors } from '@rxlet/component-base/testing';
import { expect, it } from 'vitest';
import { holdInhibitorLock } from './inhibitor-lock.ts';

it('says why the program of the lock cannot be spawned', async () => {
  const ports = { clock: createVirtualClock(), busAddress: 'unix:path=/nowhere', lost: () => undefined };
  using _failing = spawnWithoutDescriptors();
  await expect(holdInhibitorLock(ports, new AbortController().signal)).rejects.toThrow(
    'cannot take the lock that delays shutdowns with systemd-inhibit: spawn systemd-inhibit EMFILE',
  );
});
