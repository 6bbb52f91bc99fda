import type { EndpointResponse } from '@rxlet/agent-api/http';

/** Returns a redirect in the form of Go's `http.Redirect`. */
export function redirectAnswer(location: string, method: string): EndpointResponse {
  // Browsers take a backslash for a slash, so that a path may begin as the name of another host.
  const safe = encodeNonAscii(location).replaceAll('\\', '%5C');
  const hasBody = method === 'GET';
  return {
    status: 307,
    headers: { location: safe },
    contentType: hasBody || method === 'HEAD' ? 'text/html; charset=utf-8' : null,
    body: hasBody ? `<a href="${escapeHtml(safe)}">Temporary Redirect</a>.\n\n` : '',
  };
}

/** Escapes what may not stand in HTML text or a quoted attribute. */
export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&#34;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}

/** Escapes the bytes that a header field may not have. */
function encodeNonAscii(text: string): string {
  return text.replace(/[^\x21-\x7e]+/g, (part) => encodeURIComponent(Buffer.from(part, 'latin1').toString()));
}
