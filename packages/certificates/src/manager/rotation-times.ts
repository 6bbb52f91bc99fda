import { jitter, type Random } from '@rxlet/component-base';
import type { Certificate } from '../x509/certificate.ts';

const [EARLIEST, SPREAD] = [0.7, 0.2];
const [FIRST_DELAY_MS, DELAY_JITTER, DOUBLINGS, LATER_DELAY_MS] = [2000, 0.1, 4, 32_000];

/** Returns the time at which a certificate is renewed, in milliseconds since the epoch: after 70 to 90 % of its life, so that nodes made together do not renew together. */
export function rotationDeadlineMs(
  { notBeforeMs, notAfterMs }: Pick<Certificate, 'notBeforeMs' | 'notAfterMs'>,
  random: Random,
): number {
  return notBeforeMs + (notAfterMs - notBeforeMs) * (EARLIEST + SPREAD * random.next());
}

/** Returns the pause after failed attempts, in milliseconds: 2 s doubling to 16 s, then 32 s each. */
export function retryDelayMs(failures: number, random: Random): number {
  if (failures > DOUBLINGS) return LATER_DELAY_MS;
  return jitter(random, FIRST_DELAY_MS * 2 ** (failures - 1), DELAY_JITTER);
}
