import { X509Certificate } from 'node:crypto';

/** Share of the validity of a certificate that is left when its renewal is overdue: it is due while 30 to 10 % are left. */
const OVERDUE_SHARE = 0.1;

/**
 * Returns what is wrong with the validity of a certificate; `undefined` while there is time left.
 *
 * @param name of the certificate, such as `client certificate`
 */
export function expiryProblem(name: string, certificatePem: string, nowMs: number): string | undefined {
  const { validFromDate, validToDate } = new X509Certificate(certificatePem);
  const [notBeforeMs, notAfterMs] = [validFromDate.getTime(), validToDate.getTime()];
  const end = validToDate.toISOString();
  if (nowMs > notAfterMs) return `the ${name} expired at ${end}`;
  if (nowMs < notBeforeMs) return `the ${name} is valid from ${validFromDate.toISOString()} on: check the clock`;
  const isOverdue = notAfterMs - nowMs < OVERDUE_SHARE * (notAfterMs - notBeforeMs);
  return isOverdue ? `the ${name} expires at ${end} and was not renewed` : undefined;
}
