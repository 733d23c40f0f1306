# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_suite.py SEED COUNT: prints a marked source (check.py) with so many random boolean expressions, in all kinds of places."""
import random
import sys

r = random.Random(int(sys.argv[1]))
print("""#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "witness.h"
#define POSITIVE(x) ((x) > 0)
#define LIKELY(x) __builtin_expect(!!(x), 1)
static int id(int x) { return x; }
static int number[6];
static unsigned char small[6];
static bool truth[6];
static double real[6];
static int *pointer[6];
static struct pair { int first, second[6]; unsigned bit : 1, two : 2; } pair, *at = &pair;
static int (*call)(int) = id;""")
LEAF = ["v[%d]", "!v[%d]", "v[%d] > 1", "id(v[%d])", "v[%d] == 1", "(v[%d] < 2)",
        "number[%d]", "!number[%d]", "!(number[%d])", "small[%d]", "!(small[%d])", "!!small[%d]", "truth[%d]", "!truth[%d]",
        "real[%d]", "!(real[%d])", "real[%d] > 0.5", "pointer[%d]", "!pointer[%d]", "pointer[%d] != NULL", "*v", "!*v",
        "pair.second[%d]", "!pair.second[%d]", "at->second[%d]", "!(at->second[%d])", "pair.first", "!pair.first", "pair.bit",
        "!at->bit", "at->two > 1", "call(v[%d])", "!call(v[%d])", "!id(v[%d])", "!(v[%d] > 1)", "!((v[%d]))", "(v[%d] & 1)",
        "!(v[%d] & 2)", "(unsigned char)v[%d]", "!(char)v[%d]", "-v[%d]", "~v[%d]", "(v[0], v[%d])", "v[v[%d]]", "!v[v[%d]]",
        "v[%d] + v[1]", "v[%d] - 1 == 0", "0 == v[%d]", "NULL != pointer[%d]", "(v[%d] ^ 1)", "'a' + v[%d] == 'b'",
        "POSITIVE(v[%d])", "!POSITIVE(v[%d])", "LIKELY(v[%d])", "!LIKELY(v[%d])"]
class Expr:
    def __init__(self, name): self.n=0; self.name=name
    def leaf(self):
        k=self.n; self.n+=1
        t=r.choice(LEAF); t=t%r.randrange(6) if "%d" in t else t
        return f"@{self.name}{k}{{{t}@}}", f"c{k}"
    def make(self, size, choice):
        if size==1: return self.leaf()
        kind=r.random()
        if choice and size>=3 and kind<0.15:
            a=r.randint(1,size-2); b=r.randint(1,size-a-1)
            x=self.make(a,choice); y=self.make(b,choice); z=self.make(size-a-b,choice)
            t=f"({x[0]} ? {y[0]} : {z[0]})"; f=f"({y[1]} if {x[1]} else {z[1]})"
        else:
            a=r.randint(1,size-1)
            x=self.make(a,choice); y=self.make(size-a,choice)
            op=r.choice(["&&","||"])
            t=f"({x[0]} {op} {y[0]})"; f=f"({x[1]} {'and' if op=='&&' else 'or'} {y[1]})"
            if r.random()<0.2: t="!"+t; f=f"(not {f})"
        return t,f
count=int(sys.argv[2])
for i in range(count):
    print(f"static void f{i}(const int *v)\n{{")
    e=Expr("A")
    ctx=r.choice(["if","while","value","return","arg","for","do","nested"])
    size=r.randint(1 if ctx in("if","while") else 2,9)
    t,f=e.make(size, ctx=="if")
    top=f
    if ctx!="if" and t.startswith("!"): t=t[1:]; f=f[len("(not "):-1]
    c=f"/*=A {f}; any*/"
    if ctx=="if": print(f"\tif ({t}) {{ @A+ }} else {{ @A- }} {c}")
    elif ctx=="while": print(f"\tint k = 0;\n\twhile ({t}) {c}\n\t{{ @A+ if (++k > 2) return; }}\n\t@A-")
    elif ctx=="for": print(f"\tfor (int k = 0; {t}; k++) {c}\n\t{{ @A+ if (k > 1) return; }}\n\t@A-")
    elif ctx=="do": print(f"\tint k = 0;\n\tdo {{ @A+ if (k++ > 2) return; }}\n\twhile ({t}); {c}\n\t@A-")
    elif ctx in("value","return"): print(f"\tbool x = {t}; {c}\n\t@A=x;")
    elif ctx=="arg": print(f"\tint x = id({t}); {c}\n\t@A=x;")
    else: print(f"\tint x = 3 + ({t}); {c}\n\t@A=x - 3;")
    print("}")
print("int main(int argc, char **argv)\n{\n\tunsigned seed = (unsigned)atoi(argv[1]), rounds = (unsigned)atoi(argv[2]);\n\tfor (unsigned i = 0; i < rounds; i++) {\n\t\tint v[6];\n\t\tfor (int k = 0; k < 6; k++) {\n\t\t\tseed = seed * 1103515245u + 12345u;\n\t\t\tv[k] = (int)(seed >> 16) % 3;\n"
      "\t\t\tnumber[k] = pair.second[5 - k] = v[k] > 1;\n\t\t\tsmall[5 - k] = truth[k] = real[5 - k] = v[k] > 0;\n"
      "\t\t\tpointer[k] = v[k] ? number : NULL;\n\t\t}\n\t\tpair.first = pair.bit = v[2] & 1;\n\t\tpair.two = v[3];")
for i in range(count): print(f"\t\tf{i}(v);")
print("\t}\n}")
