/** Type declaration of a message in the output of protoc-gen-es: its documentation, its name, its full name in protobuf and its fields. */
const MESSAGE = /^(\/\*\*(?:(?!\*\/)[^])*\*\/\n)export declare type (\w+) = Message<"([\w.]+)"> & (\{[^]*?\n\});/gm;
const ENUM = /^export enum (\w+) /gm;

/**
 * Returns declarations of the messages in `declarations`, the output of protoc-gen-es, as plain types: with the same names, documentation and fields, but
 * without `$typeName`. The result re-exports everything else.
 */
export function plainMessages(declarations: string): string {
  const enums = Array.from(declarations.matchAll(ENUM), ([, name]) => name!);
  const messages = Array.from(declarations.matchAll(MESSAGE), ([, doc, name, typeName, fields]) => ({
    type: `${doc!}export declare type ${name!} = ${fields!};\n`,
    entry: `  '${typeName!}': ${name!};\n`,
  }));
  return [
    '// Plain types of the messages in api_pb.d.ts. Written by `npm run generate`; do not edit.\n/* eslint-disable */\n\n',
    `import type { ${enums.join(', ')} } from './api_pb.js';\n\nexport * from './api_pb.js';\n\n`,
    `${messages.map(({ type }) => type).join('\n')}\n`,
    `/**\n * The plain types by the full names of the messages.\n */\nexport declare type MessagesByTypeName = {\n${messages.map(({ entry }) => entry).join('')}};\n`,
  ].join('');
}
