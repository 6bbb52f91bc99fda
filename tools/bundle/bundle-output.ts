import type { OutputOptions } from 'rolldown';

/** Form of all files of a bundle. */
export const BUNDLE_OUTPUT = {
  format: 'cjs',
  // Names stay, for stack traces.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  comments: false,
} satisfies OutputOptions;
