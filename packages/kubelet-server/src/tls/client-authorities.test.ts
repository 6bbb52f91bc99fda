import { X509Certificate } from 'node:crypto';
import { createLifetime, seededRandom, systemClock } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createCertificateAuthority } from '@rxlet/fake-kube';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { followAuthorities } from './client-authorities.ts';

let first: string;
let second: string;
beforeAll(async () => {
  const ports = { clock: systemClock, random: seededRandom(1) };
  [first, second] = (await Promise.all(
    [1, 2].map(async () => (await createCertificateAuthority(ports)).certificatePem),
  )) as [string, string];
});
const der = (pem: string): Uint8Array => new X509Certificate(pem).raw;

describe('followAuthorities', () => {
  it('reads the file again when it has changed, and keeps the authorities when it is unusable', async () => {
    const clock = createVirtualClock();
    const logger = recordingLogger();
    const memory = createMemoryFiles({ files: { '/ca.crt': first } });
    const lifetime = createLifetime();
    const authorities = await followAuthorities({ hostFiles: memory.hostFiles, clock, logger }, '/ca.crt', lifetime);
    expect([authorities.value.has(der(first)), authorities.value.has(der(second))]).toEqual([true, false]);

    memory.put('/ca.crt', second);
    await clock.advance(5000);
    expect([authorities.value.has(der(first)), authorities.value.has(der(second))]).toEqual([false, true]);
    memory.put('/ca.crt', 'broken');
    await clock.advance(5000);
    memory.remove('/ca.crt');
    await clock.advance(5000);
    expect(authorities.value.has(der(second))).toBe(true);
    expect(logger.lines.map(({ level }) => level)).toEqual(['info', 'error', 'error']);

    memory.put('/ca.crt', first + second);
    await clock.advance(5000);
    expect([authorities.value.has(der(first)), authorities.value.has(der(second))]).toEqual([true, true]);
    await lifetime[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });

  it('reads a changed file again until that succeeds, and logs a failure that stays the same once', async () => {
    const clock = createVirtualClock();
    const logger = recordingLogger();
    const memory = createMemoryFiles({ files: { '/ca.crt': first } });
    let failure: Error | undefined;
    const hostFiles = {
      stat: memory.hostFiles.stat,
      read: (path: string, maxBytes: number) =>
        failure === undefined ? memory.hostFiles.read(path, maxBytes) : Promise.reject(failure),
    };
    await using lifetime = createLifetime();
    const authorities = await followAuthorities({ hostFiles, clock, logger }, '/ca.crt', lifetime);

    memory.put('/ca.crt', second);
    failure = new Error('too many open files');
    await clock.advance(10_000);
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { error: 'too many open files' } }]);
    failure = undefined;
    await clock.advance(5000);
    expect([authorities.value.has(der(first)), authorities.value.has(der(second))]).toEqual([false, true]);
  });

  it('rejects a file that is missing or has no certificate at first', async () => {
    const memory = createMemoryFiles({ files: { '/empty': '' } });
    const ports = { hostFiles: memory.hostFiles, clock: createVirtualClock(), logger: recordingLogger() };
    await expect(followAuthorities(ports, '/none', createLifetime())).rejects.toThrow('there is no such file');
    await expect(followAuthorities(ports, '/empty', createLifetime())).rejects.toThrow('there is no certificate in it');
  });
});
