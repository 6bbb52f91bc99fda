import { goQuote } from '../go-quote.ts';
import { hostAndPort, HttpError, type HttpGetRequest } from './http-port.ts';

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const beyondAscii = /[^\u0000-\u007f]/;

/**
 * Rejects headers with control characters, which could inject further headers.
 *
 * @throws HttpError with Go's wording; it omits the value, which may be secret
 */
export function checkHeaders({ hostHeader, headers }: HttpGetRequest): void {
  if (hostHeader !== undefined && control.test(hostHeader)) {
    throw new HttpError('Transport', 'http: invalid Host header');
  }
  for (const [name, value] of headers) {
    if (!token.test(name)) throw new HttpError('Transport', `net/http: invalid header field name ${goQuote(name)}`);
    if (control.test(value)) {
      throw new HttpError('Transport', `net/http: invalid header field value for ${goQuote(name)}`);
    }
  }
}

/** Returns the `Host` header. */
export function hostOf({ hostname, port, hostHeader }: HttpGetRequest): string {
  return headerBytes(hostHeader ?? hostAndPort(hostname, port));
}

/** Encodes a value in the form that Node.js expects, one character per byte, so that it is sent as UTF-8. */
export function headerBytes(value: string): string {
  return beyondAscii.test(value) ? Buffer.from(value).toString('latin1') : value;
}

/** The reverse of {@link headerBytes}. */
export function headerText(bytes: string): string {
  return beyondAscii.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
}
