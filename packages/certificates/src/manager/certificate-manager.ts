import { isKubeError, type TlsKeyPair } from '@rxlet/kube-api/client';
import {
  type Clock,
  createLifetime,
  createProblemLog,
  errorMessage,
  type Logger,
  type Random,
  sleep,
  type Timer,
} from '@rxlet/component-base';
import { createCurrentValue, type CurrentValue } from '@rxlet/component-base/streams';
import type { CertificateStore } from '../store/certificate-store.ts';
import { type Certificate, CertificateError, parseCertificate } from '../x509/certificate.ts';
import { type CertificateSubject, hasSubject, isSameSubject } from '../x509/certificate-subject.ts';
import { isRsaKey } from '../x509/private-key.ts';
import { createSigningRequest } from '../x509/signing-request.ts';
import type { RequestKeys } from './request-keys.ts';
import { type CertificateClient, requestCertificate } from './request-certificate.ts';
import { retryDelayMs, rotationDeadlineMs } from './rotation-times.ts';

/** Ports of {@link createCertificateManager}. */
export interface CertificateManagerPorts {
  readonly store: CertificateStore;
  readonly keys: RequestKeys;
  /** Returns a client for one request, by the current certificate (`true`) or without one. Absent: no certificate is requested. */
  readonly connect?: ((hasCertificate: boolean) => Promise<CertificateConnection>) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly observer?: CertificateObserver | undefined;
}

/** A client for one request. Disposal closes what was opened for it. */
export interface CertificateConnection extends AsyncDisposable {
  readonly client: CertificateClient;
}

/** Receives what is measured. */
export interface CertificateObserver {
  /** A certificate was replaced after it had been used for this time. */
  onRotation(ageMs: number): void;
  onFailure(): void;
}

/** Options of {@link createCertificateManager}. */
export interface CertificateManagerOptions {
  readonly signerName: string;
  readonly extendedUsage: 'client auth' | 'server auth';
  /** Returns the names to request; `undefined` while they are not known. */
  readonly subject: () => CertificateSubject | undefined;
  /** Whether the names may change. */
  readonly isSubjectDynamic: boolean;
  /** Whether the certificate is renewed. Default true; false: only an absent or expired one is requested. */
  readonly isRotated?: boolean | undefined;
  /** A certificate to start with, where none is stored. It is renewed at once, because others have its key. */
  readonly initialPair?: TlsKeyPair | undefined;
  /** Longest wait for the approval of one request. Default 15 minutes. */
  readonly approvalTimeoutMs?: number | undefined;
}

/** A certificate that is requested, stored and renewed before it expires. */
export interface CertificateManager extends AsyncDisposable {
  /** The certificate; `undefined` while there is none that is valid. */
  readonly certificate: CurrentValue<TlsKeyPair | undefined>;
  /** End of its validity, in milliseconds since the epoch; `undefined` while there is none. */
  readonly notAfterMs: number | undefined;
  /** Reads the stored certificate, then keeps it valid. Resolves after the first. */
  start(): Promise<void>;
}

const MIN_PERIOD_MS = 1000;
/** A wall clock that is set must not delay a renewal for long. */
const MAX_PERIOD_MS = 600_000;
const APPROVAL_TIMEOUT_MS = 15 * 60_000;
/** Pause between two rotations. */
const ROTATION_PAUSE_MS = 1000;

/** Creates a {@link CertificateManager} (client-go: certificate.Manager). */
export function createCertificateManager(
  { store, keys, connect, clock, random, logger, observer }: CertificateManagerPorts,
  options: CertificateManagerOptions,
): CertificateManager {
  const { signerName, extendedUsage, subject, isRotated = true } = options;
  const { approvalTimeoutMs = APPROVAL_TIMEOUT_MS } = options;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const value = createCurrentValue<TlsKeyPair | undefined>(undefined);
  lifetime.defer(() => value.complete());
  let current: Certificate | undefined;
  let deadlineMs = 0;
  let expiry: Timer | undefined;
  lifetime.defer(() => expiry?.[Symbol.dispose]());
  const problems = createProblemLog(logger);
  /** Subject of the last request that was fulfilled. */
  let issuedFor: CertificateSubject | undefined;
  /** Whether the API server rejected the current certificate. */
  let isRejected = false;
  /** The request that waits for its certificate. */
  let pending: { readonly subject: CertificateSubject; readonly abort: AbortController } | undefined;

  const isValid = (): boolean => current !== undefined && clock.now() <= current.notAfterMs;
  const publish = (): void => {
    const next = isValid() ? current!.pair : undefined;
    if (next === value.value) return;
    if (next === undefined) logger.error('the certificate has expired', { signer: signerName });
    value.set(next);
  };
  const adopt = (certificate: Certificate): void => {
    current = certificate;
    expiry?.[Symbol.dispose]();
    expiry = clock.setTimer(certificate.notAfterMs - clock.now() + 1, publish);
    if (signal.aborted) expiry[Symbol.dispose]();
    deadlineMs = isRotated ? rotationDeadlineMs(certificate, random) : certificate.notAfterMs;
    publish();
  };
  const isDue = (wanted: CertificateSubject): boolean => {
    if (current === undefined || clock.now() >= deadlineMs) return true;
    // A signer may leave out names: the same request would get the same answer.
    const isSameRequest = issuedFor !== undefined && isSameSubject(issuedFor, wanted);
    return isRotated && !isSameRequest && !hasSubject(current, wanted);
  };
  /** Uses a new certificate. A short one lasts for half of its time, so that no request follows the other. */
  const install = (certificate: Certificate, subjectOf: CertificateSubject): void => {
    adopt(certificate);
    issuedFor = subjectOf;
    deadlineMs = Math.max(deadlineMs, clock.now() + (certificate.notAfterMs - clock.now()) / 2);
  };

  /** Withdraws the certificate when it expires, and gives up a request whose names are outdated. */
  const check = (): void => {
    publish();
    const wanted = subject();
    if (pending === undefined || wanted === undefined || isSameSubject(pending.subject, wanted)) return;
    pending.abort.abort(new Error('the addresses of the node changed'));
  };
  /** Waits until something may have to be done: every second while the names can change, or while a clock that is set back would make an expired certificate valid again. */
  const pause = (): Promise<void> => {
    const times = current === undefined ? [] : [deadlineMs, current.notAfterMs].map((ms) => ms - clock.now());
    const nextMs = Math.min(MAX_PERIOD_MS, ...times.filter((ms) => ms > 0).map((ms) => Math.ceil(ms) + 1));
    const isExpired = current !== undefined && !isValid();
    const delayMs = options.isSubjectDynamic || isExpired ? MIN_PERIOD_MS : Math.max(MIN_PERIOD_MS, nextMs);
    return sleep(clock, delayMs, signal);
  };
  const checkAlways = async (): Promise<void> => {
    for (;;) {
      await pause();
      check();
    }
  };

  const requestOnce = async (wanted: CertificateSubject, connecting: NonNullable<typeof connect>): Promise<void> => {
    const abort = new AbortController();
    pending = { subject: wanted, abort };
    try {
      const { keyPem, requestName } = await keys.next(wanted);
      const requestPem = await createSigningRequest(keyPem, wanted);
      const encipherment = isRsaKey(keyPem) ? (['key encipherment'] as const) : [];
      const usages = ['digital signature', ...encipherment, extendedUsage] as const;
      await using connection = await connecting(isValid() && !isRejected);
      const certificatePem = await requestCertificate(
        { client: connection.client, clock, logger },
        { requestPem, signerName, usages, name: requestName, timeoutMs: approvalTimeoutMs },
        AbortSignal.any([signal, abort.signal]),
      );
      const previous = current;
      const { notAfterMs } = parseCertificate(certificatePem, keyPem);
      if (notAfterMs < clock.now())
        throw new CertificateError(
          `the certificate expired at ${new Date(notAfterMs).toISOString()}, before it was issued`,
        );
      install(await store.update(certificatePem, keyPem), wanted);
      await keys.onStored?.();
      if (previous !== undefined) observer?.onRotation(clock.now() - previous.notBeforeMs);
      logger.info(previous === undefined ? 'got a certificate' : 'renewed the certificate', {
        signer: signerName,
        notAfter: new Date(current!.notAfterMs).toISOString(),
      });
    } finally {
      pending = undefined;
    }
  };

  /** Requests a certificate until there is one, or none is needed any more. */
  const rotate = async (connecting: NonNullable<typeof connect>): Promise<void> => {
    for (let failures = 1; ; failures += 1) {
      const wanted = subject();
      if (wanted === undefined || !isDue(wanted)) return;
      try {
        await requestOnce(wanted, connecting);
        isRejected = false;
        problems.ended();
        return;
      } catch (error) {
        signal.throwIfAborted();
        // In turn: by the certificate, and by the credentials that the node has been given.
        isRejected = !isRejected && isKubeError(error, 'Unauthorized');
        observer?.onFailure();
        const message = 'cannot get a certificate; the request is repeated';
        problems.failed(message, { signer: signerName, error: errorMessage(error) });
      }
      await sleep(clock, retryDelayMs(failures, random), signal);
    }
  };

  const run = async (connecting: NonNullable<typeof connect>): Promise<void> => {
    for (;;) {
      const wanted = subject();
      if (wanted !== undefined && isDue(wanted)) {
        await rotate(connecting);
        await sleep(clock, ROTATION_PAUSE_MS, signal);
      } else await pause();
    }
  };
  const background = (work: Promise<void>): void => {
    lifetime.track(work).catch((error: unknown) => {
      if (!signal.aborted) logger.error('the certificate is not renewed any more', { error: errorMessage(error) });
    });
  };

  const adoptInitial = async ({ certificatePem, keyPem }: TlsKeyPair): Promise<void> => {
    try {
      adopt(await store.update(certificatePem, keyPem));
      deadlineMs = 0;
    } catch (error) {
      logger.warn('cannot store the certificate of the kubeconfig', { error: errorMessage(error) });
    }
  };
  const start = async (): Promise<void> => {
    const stored = await store.load();
    signal.throwIfAborted();
    if (stored !== undefined) adopt(stored);
    if (options.initialPair !== undefined && !isValid()) await adoptInitial(options.initialPair);
    background(checkAlways());
    if (connect !== undefined) background(run(connect));
  };
  let started: Promise<void> | undefined;

  return {
    certificate: value,
    get notAfterMs() {
      return value.value === undefined ? undefined : current?.notAfterMs;
    },
    start: () => (started ??= lifetime.track(start())),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
