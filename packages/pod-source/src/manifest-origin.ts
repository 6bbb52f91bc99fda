/** The manifest that a static pod comes from. */
export type ManifestOrigin = { readonly file: string } | { readonly url: string };
