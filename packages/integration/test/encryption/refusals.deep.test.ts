import dynamodb from '../../src/conformance/dynamodb.harness.js';
import kv from '../../src/conformance/kv.harness.js';
import { describeRefusals } from './support/describe-refusals.js';

for (const harness of [dynamodb, kv]) describeRefusals(harness);
