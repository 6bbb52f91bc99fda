import { readFileSync, writeFileSync } from 'node:fs';
import { plainMessages } from './plain-messages.ts';

// Beside the output of protoc-gen-es for CRI v1, whose messages are those of the ports of @rxlet/cri-api.
const folder = new URL('../../../packages/cri-api/gen/runtime/v1/', import.meta.url);
writeFileSync(new URL('messages.d.ts', folder), plainMessages(readFileSync(new URL('api_pb.d.ts', folder), 'utf8')));
writeFileSync(new URL('messages.js', folder), "export * from './api_pb.js';\n");
