/** Choices of {@link pageHeaders}. */
export interface PageHeaderOptions {
  /** Whether scripts may set the attribute `style`. The terminal colors its cells by it. */
  readonly allowsStyleAttributes: boolean;
}

/**
 * Returns the header fields of every file of the page. Scripts and styles come from the page's own address only, text never becomes code, and no other page may embed it
 * or keep a handle of its window.
 */
export function pageHeaders({ allowsStyleAttributes }: PageHeaderOptions): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      ...(allowsStyleAttributes ? ["style-src-attr 'unsafe-inline'"] : []),
      "img-src 'self'",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types lit-html',
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** Header fields of every answer with data. A browser that shows one as a page runs nothing of it. */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
