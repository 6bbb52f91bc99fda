import { contributionsTo, createModuleContext } from '@rxlet/agent-api/testing';
import { nodeProblems } from '@rxlet/agent-api/journal';
import { seededRandom } from '@rxlet/component-base';
import { createCurrentValue } from '@rxlet/component-base/streams';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { expect, it } from 'vitest';
import { clientCertificateProblems } from './client/client-certificate-module.ts';
import { expiryProblem } from './expiry-problem.ts';
import { createSelfSigned } from './x509/self-signed.ts';

const DAY_MS = 24 * 3_600_000;

it('a certificate has a problem before its time, once its renewal is overdue, and after its end', async () => {
  const clock = createVirtualClock();
  const { certificatePem } = await createSelfSigned({ clock, random: seededRandom(1) }, 'node1');
  const at = (days: number) => expiryProblem('serving certificate', certificatePem, clock.now() + days * DAY_MS);
  expect(at(-2)).toMatch(/^the serving certificate is valid from .* on: check the clock$/);
  expect(at(0)).toBeUndefined();
  expect(at(300)).toBeUndefined();
  expect(at(340)).toMatch(/^the serving certificate expires at \d{4}-\d\d-\d\dT.* and was not renewed$/);
  expect(at(400)).toMatch(/^the serving certificate expired at \d{4}-\d\d-\d\dT/);
});

it('a client certificate that is missing or has expired is a problem of the node', async () => {
  const clock = createVirtualClock();
  const certificate = createCurrentValue<TlsKeyPair | undefined>(undefined);
  const parts = clientCertificateProblems({ certificate }).setup(createModuleContext({ clock }));
  const { problem, part } = contributionsTo(parts, nodeProblems)[0]!;
  expect(part).toBe('certificates');
  expect(problem()).toBe('there is no valid client certificate: the API server has not issued one yet');
  certificate.set(await createSelfSigned({ clock, random: seededRandom(1) }, 'node1'));
  expect(problem()).toBeUndefined();
  await clock.advance(400 * DAY_MS);
  expect(problem()).toMatch(/^the client certificate expired at /);
});
