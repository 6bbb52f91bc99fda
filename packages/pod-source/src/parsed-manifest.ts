/** A manifest as plain data. */
export interface ParsedManifest {
  readonly value: unknown;
  /** Slips that a parser accepts silently. */
  readonly warnings: readonly string[];
}

/** The documents of a manifest as plain data; at least one. */
export interface ParsedDocuments {
  readonly values: readonly unknown[];
  /** As of {@link ParsedManifest}. */
  readonly warnings: readonly string[];
}

/** The manifest that a static pod comes from. */
export type ManifestOrigin = { readonly file: string } | { readonly url: string };
