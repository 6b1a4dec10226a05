import type { StandardResult, StandardSchema, Tool, ToolContext } from '../ports/index.js';

interface Question {
  readonly question: string;
  readonly options?: readonly string[];
  readonly allowFreeText?: boolean;
}

/** The built-in tool by which the model asks a person. Its call waits for the answer as an approval of kind `question`. */
export const askQuestion: Tool = {
  name: 'ask_question',
  description:
    'Ask the user a question and wait for the answer. Give `options` when the answer is one of a few; set `allowFreeText` to false to accept nothing else.',
  asks: 'question',
  needsApproval: true,
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'What to ask' },
      options: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from' },
      allowFreeText: { type: 'boolean', description: 'Whether other answers are accepted (default true)' },
    },
    required: ['question'],
    additionalProperties: false,
  },
  input: questionSchema(),
  execute: (args, context) => answerOf(args as Question, context),
};

/** `option` is the index of the chosen option. Throws, for the model to see, when the answer is not among the only ones allowed. */
function answerOf({ options = [], allowFreeText = true }: Question, context: ToolContext): object {
  const answer = context.approval?.note ?? '';
  const option = options.findIndex((one) => one.toLowerCase() === answer.toLowerCase());
  if (option !== -1) return { answer, option };
  if (allowFreeText || options.length === 0) return { answer };
  throw new Error(`The answer is none of the options: ${options.join(', ')}`);
}

function questionSchema(): StandardSchema<unknown, Question> {
  return { '~standard': { version: 1, vendor: 'lousho', validate } };
}

function validate(value: unknown): StandardResult<Question> {
  const { question, options, allowFreeText } = (value ?? {}) as Partial<Question>;
  if (typeof question !== 'string' || question === '') return fault('question', 'a text');
  const isList = Array.isArray(options) && options.every((option) => typeof option === 'string');
  if (options !== undefined && !isList) return fault('options', 'a list of texts');
  if (allowFreeText !== undefined && typeof allowFreeText !== 'boolean')
    return fault('allowFreeText', 'a boolean');
  return {
    value: { question, ...(options && { options }), ...(allowFreeText !== undefined && { allowFreeText }) },
  };
}

function fault(field: string, wanted: string): StandardResult<Question> {
  return { issues: [{ message: `Expected ${wanted}`, path: [field] }] };
}
