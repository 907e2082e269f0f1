/**
 * The mutation operators: from the syntax tree of a product file to the defects that could be planted in it. A defect
 * replaces one range of the text. Whether it compiles is checked by the caller.
 *
 * Text for people is left alone: what is logged, and templates that contain a sentence.
 */
import { SyntaxKind } from 'typescript/unstable/ast';

/**
 * @typedef {{ operator: string, start: number, end: number, text: string, within: number | undefined }} Site
 * `within` is the position of the innermost function around it, in the order of `functionsOf`; undefined at the top of a module.
 */

/** The operators, each with the sites that one node offers: `[start, end, text]`. */
const mutations = {
  condition(node, text) {
    const { kind } = node;
    if (kind === SyntaxKind.IfStatement && !node.elseStatement) return [negated(node.expression, text)];
    if (kind === SyntaxKind.WhileStatement || kind === SyntaxKind.DoStatement) return [negated(node.expression, text)];
    if (kind === SyntaxKind.PrefixUnaryExpression && node.operator === SyntaxKind.ExclamationToken) {
      return [replaced(node, text(node.operand))];
    }
    const sign = signOf(node);
    if (sign === '===' || sign === '!==') return [signed(node, sign === '===' ? '!==' : '===')];
    if (sign !== '&&' && sign !== '||') return [];
    return [
      signed(node, sign === '&&' ? '||' : '&&'),
      replaced(node, text(node.left)),
      replaced(node, text(node.right)),
    ];
  },
  boundary(node, text) {
    const sign = signOf(node);
    const other = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }[sign];
    if (other) return [signed(node, other)];
    if ((sign === '+' || sign === '-') && /^1n?$/.test(text(node.right))) return [replaced(node, text(node.left))];
    const least = node.kind === SyntaxKind.CallExpression && /^Math\.(min|max)$/.exec(text(node.expression));
    return least ? [replaced(node.expression, least[1] === 'min' ? 'Math.max' : 'Math.min')] : [];
  },
  await(node, text) {
    if (node.kind !== SyntaxKind.AwaitExpression) return [];
    // The caller awaits what is returned, so the word matters only where an error is caught.
    return isReturned(node) && !isInTry(node) ? [] : [replaced(node, text(node.expression))];
  },
  argument(node, text) {
    const list = isCall(node) ? node.arguments : undefined;
    if (!list || list.length === 0) return [];
    const last = list.at(-1);
    const objects = list.filter(({ kind }) => kind === SyntaxKind.ObjectLiteralExpression);
    const properties = objects
      .flatMap(({ properties }) => properties.filter((one) => !isNeutral(one, text)))
      .map((one) => dropped(one, text));
    // The last argument of an error is its cause, which is only printed, a comma is what `join` uses by itself, and an
    // `abort` occurs once anyway.
    const isNeutralArgument =
      /Error$/.test(text(node.expression)) || text(last) === "','" || hasOnlyNeutral(last, text);
    if (isNeutralArgument) return properties;
    return [...properties, list.length > 1 ? [list.at(-2).end, last.end, ''] : replaced(last, '')];
  },
  call(node, text) {
    if (node.kind === SyntaxKind.ExpressionStatement) {
      const { expression } = node;
      const call = isIn([SyntaxKind.AwaitExpression, SyntaxKind.VoidExpression], expression)
        ? expression.expression
        : expression;
      return call.kind === SyntaxKind.CallExpression && !isSuper(call) ? [replaced(node, ';')] : [];
    }
    if (node.kind !== SyntaxKind.CallExpression || node.parent.kind === SyntaxKind.ExpressionStatement) return [];
    const { expression, arguments: list } = node;
    if (expression.kind === SyntaxKind.PropertyAccessExpression) return [replaced(node, text(expression.expression))];
    return list.length > 0 ? [replaced(node, `(${text(list[0])})`)] : [];
  },
  branch(node, text) {
    if (node.kind === SyntaxKind.IfStatement && node.elseStatement) {
      const { thenStatement, elseStatement } = node;
      return [[start(thenStatement), elseStatement.end, `{ ${text(elseStatement)} } else { ${text(thenStatement)} }`]];
    }
    if (node.kind === SyntaxKind.ConditionalExpression) {
      const { whenTrue, whenFalse } = node;
      return [
        [start(whenTrue), whenFalse.end, `${text(whenFalse)} : ${text(whenTrue)}`],
        replaced(node, `(${text(whenTrue)})`),
        replaced(node, `(${text(whenFalse)})`),
      ];
    }
    if (signOf(node) === '??') return [replaced(node, `(${text(node.left)})`), replaced(node, `(${text(node.right)})`)];
    return [];
  },
  return(node, text) {
    const { kind, parent } = node;
    if (kind === SyntaxKind.IfStatement && !node.elseStatement && leaves(node.thenStatement))
      return [replaced(node, ';')];
    if (kind === SyntaxKind.ReturnStatement && node.expression && text(node.expression) !== 'undefined') {
      return [replaced(node.expression, 'undefined')];
    }
    const isStatement = [SyntaxKind.ExpressionStatement, SyntaxKind.VariableStatement, SyntaxKind.ForOfStatement];
    if (!isIn([...isStatement, SyntaxKind.TryStatement], node)) return [];
    return isIn([SyntaxKind.Block], parent) ? [[start(node), start(node), 'return; ']] : [];
  },
  constant(node, text) {
    const { kind } = node;
    if (kind === SyntaxKind.TrueKeyword) return [replaced(node, 'false')];
    if (kind === SyntaxKind.FalseKeyword) return [replaced(node, 'true')];
    if (kind === SyntaxKind.NumericLiteral || kind === SyntaxKind.BigIntLiteral)
      return [replaced(node, other(text(node)))];
    if (kind !== SyntaxKind.StringLiteral || node.text === '') return [];
    const isCompared = ['===', '!=='].includes(signOf(node.parent)) || node.parent.kind === SyntaxKind.CaseClause;
    return isCompared ? [replaced(node, "''")] : [];
  },
};

export const operators = Object.keys(mutations);

/** @returns {Site[]} */
export function sitesOf(tree) {
  const text = (node) => tree.text.slice(start(node), node.end);
  const positions = new Map(functionsOf(tree).map((node, index) => [node, index]));
  const sites = [];
  const visit = (node, within) => {
    if (isType(node) || isNeutral(node, text)) return;
    for (const operator of operators) {
      for (const [start, end, replacement] of mutations[operator](node, text)) {
        sites.push({ operator, start, end, text: replacement, within });
      }
    }
    node.forEachChild((child) => void visit(child, positions.get(node) ?? within));
  };
  visit(tree, undefined);
  return sites;
}

/** The functions of a file that have a body, in the order of the text. */
export function functionsOf(tree) {
  const functions = [];
  const visit = (node) => {
    if (isType(node)) return;
    if (bodyOf(node)) functions.push(node);
    node.forEachChild((child) => void visit(child));
  };
  visit(tree);
  return functions;
}

/** Adds `statement(n)` to the begin of every function, where n is its position in `functionsOf`. */
export function withStatements(tree, statement) {
  const edits = functionsOf(tree).flatMap((node, index) => {
    const body = bodyOf(node);
    if (body.kind === SyntaxKind.Block) return [[start(body) + 1, `${statement(index)};`]];
    return [
      [start(body), `(${statement(index)}, `],
      [body.end, ')'],
    ];
  });
  // From the end, so that positions stay valid; of two at one position the later one is outside.
  return edits
    .map(([position, text], index) => ({ position, text, index }))
    .sort((one, other) => other.position - one.position || other.index - one.index)
    .reduce((text, edit) => text.slice(0, edit.position) + edit.text + text.slice(edit.position), tree.text);
}

function bodyOf(node) {
  const isFunction = [
    SyntaxKind.FunctionDeclaration,
    SyntaxKind.FunctionExpression,
    SyntaxKind.ArrowFunction,
    SyntaxKind.MethodDeclaration,
    SyntaxKind.Constructor,
    SyntaxKind.GetAccessor,
    SyntaxKind.SetAccessor,
  ];
  return isIn(isFunction, node) ? node.body : undefined;
}

const start = (node) => node.getStart();
const replaced = (node, text) => [start(node), node.end, text];
const negated = (node, text) => replaced(node, `!(${text(node)})`);
const signed = (node, sign) => replaced(node.operatorToken, sign);
const isIn = (kinds, node) => kinds.includes(node.kind);
const isCall = (node) => isIn([SyntaxKind.CallExpression, SyntaxKind.NewExpression], node);
const isSuper = (call) => call.expression.kind === SyntaxKind.SuperKeyword;

function signOf(node) {
  return node.kind === SyntaxKind.BinaryExpression ? node.operatorToken.getText() : undefined;
}

/** A property with the comma after it, if there is one. */
function dropped(node, text) {
  const comma = /^\s*,/.exec(text({ getStart: () => node.end, end: node.end + 40 }));
  return [start(node), node.end + (comma?.[0].length ?? 0), ''];
}

/** Off by one where a number is small, and by a factor where it is large. */
function other(number) {
  const suffix = number.endsWith('n') ? 'n' : '';
  const value = Number(number.replaceAll('_', '').replace(/n$/, ''));
  if (!Number.isInteger(value)) return `${value * 10}`;
  if (value <= 1) return `${1 - value}${suffix}`;
  return `${value <= 16 ? value + 1 : value * 10}${suffix}`;
}

function leaves(statement) {
  const last = statement.kind === SyntaxKind.Block ? statement.statements.at(-1) : statement;
  const leaving = [
    SyntaxKind.ReturnStatement,
    SyntaxKind.ThrowStatement,
    SyntaxKind.ContinueStatement,
    SyntaxKind.BreakStatement,
  ];
  return last !== undefined && isIn(leaving, last);
}

/** Whether it is the value of a function, possibly as the last part of a condition. */
function isReturned(node) {
  const { parent } = node;
  if (parent.kind === SyntaxKind.ParenthesizedExpression) return isReturned(parent);
  if (parent.kind === SyntaxKind.BinaryExpression) return parent.right === node && isReturned(parent);
  if (parent.kind === SyntaxKind.ConditionalExpression) return parent.condition !== node && isReturned(parent);
  return isIn([SyntaxKind.ReturnStatement, SyntaxKind.ArrowFunction], parent);
}

function isInTry(node) {
  for (let one = node; one !== undefined && bodyOf(one) === undefined; one = one.parent) {
    if (one.parent?.kind === SyntaxKind.TryStatement && one.parent.tryBlock === one) return true;
  }
  return false;
}

function isType(node) {
  const name = SyntaxKind[node.kind];
  return (
    name.endsWith('Type') ||
    /^(TypeReference|TypeLiteral|InterfaceDeclaration|TypeAliasDeclaration|ImportDeclaration|ExportDeclaration)$/.test(
      name,
    )
  );
}

/** What is logged, sentences, lists in them and descriptions. An `abort` occurs once anyway, so `once` changes nothing. */
function hasOnlyNeutral(node, text) {
  return node.kind === SyntaxKind.ObjectLiteralExpression && node.properties.every((one) => isNeutral(one, text));
}

function isNeutral(node, text) {
  if (node.kind === SyntaxKind.TemplateExpression) return / \w|\w /.test(text(node).replace(/\$\{[^}]*\}/g, ''));
  // What is thrown is an error nearly always; otherwise its text is.
  if (node.kind === SyntaxKind.ConditionalExpression) return / instanceof Error$/.test(text(node.condition));
  if (node.kind === SyntaxKind.ExpressionStatement) return isNeutral(node.expression, text);
  if (node.kind === SyntaxKind.PropertyAssignment) return /^(once: true$|description:)/.test(text(node));
  if (!isCall(node)) return false;
  const [called, first = ''] = [text(node.expression), ...(node.arguments ?? []).map(text)];
  const isList = called.endsWith('.join') && /\s/.test(first);
  return isList || /\blog(\.\w+)?$/i.test(called) || /'(debug|info|warn)'/.test(first);
}
